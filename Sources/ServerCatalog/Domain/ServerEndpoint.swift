/// A machine that a client connects to.
public struct ServerEndpoint: Hashable, Sendable, Codable, Identifiable {
    public let id: String
    /// The address that a client connects to; `nil` if only ``overrides`` have addresses.
    public let entryIP: String?
    /// The address that traffic leaves from.
    public let exitIP: String
    /// The machine's host name, from the service's report.
    public let domain: String
    /// The service's status. Zero means maintenance. `nil` means unknown; an endpoint with unknown
    /// status counts as up.
    public let status: Int?
    /// The service's label for the machine, unchanged.
    public let label: String?
    /// The machine's public key for WireGuard, in base64.
    public let x25519PublicKey: String?
    /// Addresses and ports for individual protocols; `nil` if the entry address serves all of them.
    public let overrides: ProtocolOverrides?

    /// Creates an endpoint. Empty overrides are treated as `nil`.
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

    /// Decodes an endpoint. Like the other initializer, it treats empty overrides as `nil`.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try members.decode(String.self, forKey: .id),
            entryIP: try members.decodeIfPresent(String.self, forKey: .entryIP),
            exitIP: try members.decode(String.self, forKey: .exitIP),
            domain: try members.decode(String.self, forKey: .domain),
            status: try members.decodeIfPresent(Int.self, forKey: .status),
            label: try members.decodeIfPresent(String.self, forKey: .label),
            x25519PublicKey: try members.decodeIfPresent(String.self, forKey: .x25519PublicKey),
            overrides: try members.decodeIfPresent(ProtocolOverrides.self, forKey: .overrides))
    }

    /// Whether the status is zero. An unknown status counts as up.
    public var isUnderMaintenance: Bool { status == 0 }

    /// The protocols that the endpoint supports: all protocols if there are no overrides, otherwise
    /// those that have an address.
    public var protocolSupport: ProtocolSupport {
        guard overrides != nil else { return .all }
        return ProtocolSupport.named.reduce(into: []) { support, entry in
            if address(for: entry.support) != nil { support.insert(entry.support) }
        }
    }

    /// Returns the address to connect to with a protocol; `nil` if the protocol isn't supported.
    ///
    /// If the protocol has an override with an address, that address is used. Otherwise, the entry
    /// address is used. Exception: if at least one override has no address, the overrides list all
    /// supported protocols, so a protocol without an override isn't supported.
    public func address(for wanted: ProtocolSupport) -> String? {
        guard let overrides else { return entryIP }
        if let entry = overrides.entry(for: wanted) { return entry.ipv4 ?? entryIP }
        return overrides.isCompleteList ? nil : entryIP
    }
}

/// An endpoint's settings for individual protocols.
public struct ProtocolOverrides: Hashable, Sendable, Codable {
    /// A protocol's own address and ports, both optional.
    public struct Entry: Hashable, Sendable, Codable {
        /// The protocol's own address; `nil` to use the endpoint's entry address.
        public let ipv4: String?
        /// The ports that serve the protocol; `nil` for the client's default ports.
        public let ports: [Int]?

        /// Creates an entry.
        public init(ipv4: String? = nil, ports: [Int]? = nil) {
            self.ipv4 = ipv4
            self.ports = ports
        }
    }

    /// The entries by the service's protocol names. Unknown names are kept.
    public let entries: [String: Entry]

    /// Creates overrides from protocol names in any case.
    public init(_ entries: [String: Entry]) { self.entries = entries }

    /// Whether protocols without an entry are unsupported.
    public var isCompleteList: Bool { entries.values.contains { $0.ipv4 == nil } }

    /// Returns the entry for a protocol, matching its name in any case.
    ///
    /// If two spellings name the same protocol, the first one in byte order is used.
    public func entry(for wanted: ProtocolSupport) -> Entry? {
        entries.filter { ProtocolSupport(named: $0.key) == wanted }
            .min { $0.key < $1.key }?.value
    }
}
