/// A condition on servers and their endpoints.
///
/// Filters in an array must all hold. They are about a server together with one endpoint of it:
/// `[.isNotUnderMaintenance, .supports(.wireGuardTLS)]` finds servers with an endpoint that is
/// up and speaks that protocol. They act before grouping.
public enum VPNServerFilter: Hashable, Sendable {
    /// The server with this identifier.
    case logicalID(String)
    /// Servers that have the endpoint with this identifier: a machine may serve several.
    case endpointID(String)
    /// The server with exactly this name.
    case name(String)
    /// Exactly this tier.
    case tier(Int)
    /// This tier or a lower one.
    case maxTier(Int)
    /// Servers with these features, and without those.
    case features(ServerFeatureFilter)
    /// Neither the server nor the endpoint is in maintenance.
    case isNotUnderMaintenance
    /// The endpoint supports at least one of these protocols.
    case supports(ProtocolSupport)
    /// Servers of a country, a gateway or a city.
    case kind(ServerKindFilter)
    /// Servers where traffic enters in the country with this code.
    case entryCountry(String)
    /// Servers where traffic leaves in the country with this code, of gateways or not.
    case exitCountry(String)
    /// Exactly this city, in the spelling of the catalog.
    case city(String)
    /// What a person types to find a server, without regard to case and accents.
    ///
    /// Finds servers whose name starts with the text; whose city, translated city, gateway, or
    /// country, in the person's language, has it somewhere; and, for a complete country code,
    /// those that enter or leave there. White space around it does not count; nothing finds all.
    case matches(String)
    /// The server has no endpoint. Such a server is found by this filter only: it matches none
    /// that is about an endpoint, and nobody can connect to it.
    case withoutEndpoints
}

/// Which features a server must have and must not have.
public struct ServerFeatureFilter: Hashable, Sendable {
    /// The features that a server must have, all of them.
    public let required: ServerFeature
    /// The features that it must not have, none of them.
    public let excluded: ServerFeature

    /// Without either, every server passes.
    public init(required: ServerFeature = [], excluded: ServerFeature = []) {
        self.required = required
        self.excluded = excluded
    }

    /// Everything but secure core, which applications list by itself.
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
    /// Members of gateways.
    public static let restricted = ServerFeatureFilter(required: .restricted)
}

/// Whether a server belongs to a country, to a gateway or to a city.
public enum ServerKindFilter: Hashable, Sendable {
    /// Any server without a gateway.
    case anyCountry
    /// Servers without a gateway that leave in the country with this code.
    case country(String)
    /// Any server of a gateway.
    case anyGateway
    /// Servers of the gateway with this name.
    case gateway(String)
    /// Servers of the gateway with this name that leave in the country with this code.
    case gatewayIn(String, countryCode: String)
    /// Servers, of gateways or not, that leave in the country with this code and name this city;
    /// `nil` are those that name none.
    case cityIn(String?, countryCode: String)
}
