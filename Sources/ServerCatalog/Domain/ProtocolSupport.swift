/// The protocols by which an endpoint can be reached.
public struct ProtocolSupport: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// IKEv2 with IPsec.
    public static let ikev2 = ProtocolSupport(rawValue: 1)
    /// WireGuard over UDP.
    public static let wireGuardUDP = ProtocolSupport(rawValue: 2)
    /// WireGuard over TCP.
    public static let wireGuardTCP = ProtocolSupport(rawValue: 4)
    /// WireGuard over TLS.
    public static let wireGuardTLS = ProtocolSupport(rawValue: 8)
    /// OpenVPN over UDP.
    public static let openVPNUDP = ProtocolSupport(rawValue: 16)
    /// OpenVPN over TCP.
    public static let openVPNTCP = ProtocolSupport(rawValue: 32)
    /// All protocols above.
    public static let all = ProtocolSupport(rawValue: 63)

    /// The protocols and their names, in bit order.
    public static let named: [(support: ProtocolSupport, name: String)] = [
        (.ikev2, "ikev2"), (.wireGuardUDP, "wireGuardUDP"), (.wireGuardTCP, "wireGuardTCP"),
        (.wireGuardTLS, "wireGuardTLS"), (.openVPNUDP, "openVPNUDP"),
        (.openVPNTCP, "openVPNTCP"),
    ]

    /// Creates the protocol named `name`, in any case. Returns `nil` if there is none.
    public init?(named name: String) {
        let wanted = name.lowercased()
        guard let found = Self.named.first(where: { $0.name.lowercased() == wanted }) else {
            return nil
        }
        self = found.support
    }

    /// The names of the set bits, in bit order.
    public var names: [String] { Self.named.filter { contains($0.support) }.map(\.name) }
}
