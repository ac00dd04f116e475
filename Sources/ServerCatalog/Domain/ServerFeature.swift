/// What a server can do, as the service's bit set.
///
/// Bits without a name here are kept: they travel through the catalog unchanged.
public struct ServerFeature: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Traffic enters in one country and leaves in another.
    public static let secureCore = ServerFeature(rawValue: 1)
    /// Traffic leaves through the Tor network.
    public static let tor = ServerFeature(rawValue: 2)
    /// File sharing between peers is allowed.
    public static let p2p = ServerFeature(rawValue: 4)
    /// Fit for streaming services.
    public static let streaming = ServerFeature(rawValue: 8)
    /// The server has IPv6.
    public static let ipv6 = ServerFeature(rawValue: 16)
    /// Reserved for the members of a gateway.
    public static let restricted = ServerFeature(rawValue: 32)

    /// The features that have a name, in the order of their bits.
    public static let named: [(feature: ServerFeature, name: String)] = [
        (.secureCore, "secureCore"), (.tor, "tor"), (.p2p, "p2p"), (.streaming, "streaming"),
        (.ipv6, "ipv6"), (.restricted, "restricted"),
    ]

    /// The feature called `name`, in any case; `nil` where there is none.
    public init?(named name: String) {
        let wanted = name.lowercased()
        guard let found = Self.named.first(where: { $0.name.lowercased() == wanted }) else {
            return nil
        }
        self = found.feature
    }

    /// The names of the bits that are set, in their order; bits without a name are left out.
    public var names: [String] { Self.named.filter { contains($0.feature) }.map(\.name) }
}
