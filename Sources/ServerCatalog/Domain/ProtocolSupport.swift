/// The protocols by which an endpoint can be reached.
public struct ProtocolSupport: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let ikev2 = ProtocolSupport(rawValue: 1)
    public static let wireGuardUDP = ProtocolSupport(rawValue: 2)
    public static let wireGuardTCP = ProtocolSupport(rawValue: 4)
    public static let wireGuardTLS = ProtocolSupport(rawValue: 8)
    public static let openVPNUDP = ProtocolSupport(rawValue: 16)
    public static let openVPNTCP = ProtocolSupport(rawValue: 32)
    public static let all = ProtocolSupport(rawValue: 63)

    /// The protocols in the order of their bits.
    public static let named: [(support: ProtocolSupport, name: String)] = [
        (.ikev2, "ikev2"), (.wireGuardUDP, "wireGuardUDP"), (.wireGuardTCP, "wireGuardTCP"),
        (.wireGuardTLS, "wireGuardTLS"), (.openVPNUDP, "openVPNUDP"),
        (.openVPNTCP, "openVPNTCP"),
    ]

    /// The protocol called `name`, in any case; `nil` where there is none.
    public init?(named name: String) {
        let wanted = name.lowercased()
        guard let found = Self.named.first(where: { $0.name.lowercased() == wanted }) else {
            return nil
        }
        self = found.support
    }

    /// The names of the bits that are set, in their order.
    public var names: [String] { Self.named.filter { contains($0.support) }.map(\.name) }
}
