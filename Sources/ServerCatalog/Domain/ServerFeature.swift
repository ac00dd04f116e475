/// A server's features, as the service's bit set.
///
/// Unnamed bits are preserved when they pass through the catalog.
public struct ServerFeature: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Traffic enters in one country and leaves in another.
    public static let secureCore = ServerFeature(rawValue: 1)
    /// Traffic leaves through the Tor network.
    public static let tor = ServerFeature(rawValue: 2)
    /// Peer-to-peer file sharing is allowed.
    public static let p2p = ServerFeature(rawValue: 4)
    /// Suitable for streaming services.
    public static let streaming = ServerFeature(rawValue: 8)
    /// The server has IPv6.
    public static let ipv6 = ServerFeature(rawValue: 16)
    /// Reserved for members of a gateway.
    public static let restricted = ServerFeature(rawValue: 32)

    /// The named features, in bit order.
    public static let named: [(feature: ServerFeature, name: String)] = [
        (.secureCore, "secureCore"), (.tor, "tor"), (.p2p, "p2p"), (.streaming, "streaming"),
        (.ipv6, "ipv6"), (.restricted, "restricted"),
    ]

    /// Creates the feature named `name`, in any case. Returns `nil` if there is none.
    public init?(named name: String) {
        let wanted = name.lowercased()
        guard let found = Self.named.first(where: { $0.name.lowercased() == wanted }) else {
            return nil
        }
        self = found.feature
    }

    /// The names of the set bits, in bit order. Unnamed bits are left out.
    public var names: [String] { Self.named.filter { contains($0.feature) }.map(\.name) }
}
