/// A machine that a client connects to.
public struct ServerEndpoint: Hashable, Sendable, Identifiable {
    public let id: String
    /// The address that a client connects to; `nil` where only overrides name one.
    public let entryIP: String?
    /// The address that traffic leaves from.
    public let exitIP: String
    /// The machine's host name, as the service gives it.
    public let domain: String
    /// Zero means maintenance; `nil` means that nothing is known, which counts as up.
    public let status: Int?
    /// The service's label for the machine, kept as it is.
    public let label: String?
    /// The machine's public key for WireGuard, in base64.
    public let x25519PublicKey: String?
    /// Addresses and ports for single protocols; `nil` means that the entry address serves all.
    public let overrides: ProtocolOverrides?

    /// An endpoint; overrides without an entry are none.
    public init(
        id: String, entryIP: String? = nil, exitIP: String, domain: String, status: Int? = 1,
        label: String? = nil, x25519PublicKey: String? = nil, overrides: ProtocolOverrides? = nil
    ) {
        self.id = id
        self.entryIP = entryIP
        self.exitIP = exitIP
        self.domain = domain
        self.status = status
        self.label = label
        self.x25519PublicKey = x25519PublicKey
        self.overrides = overrides.flatMap { $0.entries.isEmpty ? nil : $0 }
    }

    /// Whether the status is zero; one that is not known counts as up.
    public var isUnderMaintenance: Bool { status == 0 }

    /// The protocols that the endpoint speaks: all, unless overrides say otherwise.
    public var protocolSupport: ProtocolSupport {
        guard overrides != nil else { return .all }
        return ProtocolSupport.named.reduce(into: []) { support, entry in
            if address(for: entry.support) != nil { support.insert(entry.support) }
        }
    }

    /// The address to connect to by one protocol; `nil` where it is not supported.
    ///
    /// An override with an address gives that one, an override without gives the entry address.
    /// A protocol without an override uses the entry address too, unless some override has no
    /// address: then the overrides are the complete list of what is supported.
    public func address(for wanted: ProtocolSupport) -> String? {
        guard let overrides else { return entryIP }
        if let entry = overrides.entry(for: wanted) { return entry.ipv4 ?? entryIP }
        return overrides.isCompleteList ? nil : entryIP
    }
}

/// What an endpoint says about single protocols.
public struct ProtocolOverrides: Hashable, Sendable {
    /// One protocol's own address and ports, either of which may be left out.
    public struct Entry: Hashable, Sendable {
        /// The protocol's own address; `nil` for the endpoint's entry address.
        public let ipv4: String?
        /// The ports that the protocol is served on; `nil` for those that a client knows.
        public let ports: [Int]?

        /// What is said about one protocol.
        public init(ipv4: String? = nil, ports: [Int]? = nil) {
            self.ipv4 = ipv4
            self.ports = ports
        }
    }

    /// By the protocol's name as the service spells it; names unknown here are kept.
    public let entries: [String: Entry]

    /// Overrides by the protocols' names, in any case.
    public init(_ entries: [String: Entry]) { self.entries = entries }

    /// Whether protocols without an entry are not supported.
    public var isCompleteList: Bool { entries.values.contains { $0.ipv4 == nil } }

    /// The entry for one protocol, whatever the case its name is written in.
    ///
    /// Two spellings of one protocol are ordered by their bytes, and the first is taken.
    public func entry(for wanted: ProtocolSupport) -> Entry? {
        entries.filter { ProtocolSupport(named: $0.key) == wanted }
            .min { $0.key < $1.key }?.value
    }
}
