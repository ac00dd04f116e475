/// A condition on servers and their endpoints.
///
/// All filters in an array must hold for a server together with one of its endpoints. For example,
/// `[.isNotUnderMaintenance, .supports(.wireGuardTLS)]` finds servers with an endpoint that is up
/// and supports that protocol. Filters apply before grouping.
public enum VPNServerFilter: Hashable, Sendable {
    /// The server with this identifier.
    case logicalID(String)
    /// Servers that have the endpoint with this identifier. A machine can serve several servers.
    case endpointID(String)
    /// The server with exactly this name.
    case name(String)
    /// Servers of exactly this tier.
    case tier(Int)
    /// Servers of this tier or a lower one.
    case maxTier(Int)
    /// Servers that have the required features and none of the excluded ones.
    case features(ServerFeatureFilter)
    /// Neither the server nor the endpoint is in maintenance.
    case isNotUnderMaintenance
    /// The endpoint supports at least one of these protocols.
    case supports(ProtocolSupport)
    /// Servers of a country, a gateway or a city.
    case kind(ServerKindFilter)
    /// Servers whose traffic enters in the country with this code.
    case entryCountry(String)
    /// Servers whose traffic leaves in the country with this code, with or without a gateway.
    case exitCountry(String)
    /// Servers in exactly this city, in the catalog's spelling.
    case city(String)
    /// Servers that match a user's search text, ignoring case and accents.
    ///
    /// The text matches the start of a server's name, and any part of its city, translated city,
    /// gateway or country name in the user's language. A complete country code matches servers
    /// whose traffic enters or leaves in that country. Surrounding white space is ignored. An empty
    /// text matches every server.
    case matches(String)
    /// The server has no endpoints. Clients can't connect to such servers. Only this filter finds
    /// them, and only if it isn't combined with a condition on endpoints.
    case withoutEndpoints
}

/// Required and excluded features of a server.
public struct ServerFeatureFilter: Hashable, Sendable {
    /// The features that a server must have.
    public let required: ServerFeature
    /// The features that a server must not have.
    public let excluded: ServerFeature

    /// Creates a filter. By default, the filter matches all servers.
    public init(required: ServerFeature = [], excluded: ServerFeature = []) {
        self.required = required
        self.excluded = excluded
    }

    /// All servers except secure core, which applications list separately.
    public static let standard = ServerFeatureFilter(excluded: .secureCore)
    /// Secure core servers only.
    public static let secureCore = ServerFeatureFilter(required: .secureCore)
    /// Servers with Tor.
    public static let tor = ServerFeatureFilter(required: .tor)
    /// Servers for file sharing.
    public static let p2p = ServerFeatureFilter(required: .p2p)
    /// Servers for streaming.
    public static let streaming = ServerFeatureFilter(required: .streaming)
    /// Servers with IPv6.
    public static let ipv6 = ServerFeatureFilter(required: .ipv6)
    /// Servers reserved for members of a gateway.
    public static let restricted = ServerFeatureFilter(required: .restricted)
}

/// The kind of group that a server belongs to: a country, a gateway or a city.
public enum ServerKindFilter: Hashable, Sendable {
    /// Any server without a gateway.
    case anyCountry
    /// Servers without a gateway whose traffic leaves in the country with this code.
    case country(String)
    /// Any server of a gateway.
    case anyGateway
    /// Servers of the gateway with this name.
    case gateway(String)
    /// Servers of the gateway with this name whose traffic leaves in the country with this code.
    case gatewayIn(String, countryCode: String)
    /// Servers in this city and country, with or without a gateway; `nil` for servers that name no
    /// city.
    case cityIn(String?, countryCode: String)
}
