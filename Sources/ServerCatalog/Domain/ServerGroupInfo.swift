/// Servers that belong together, and what is common to them.
///
/// Everything is computed over the servers and endpoints that matched the filters.
public struct ServerGroupInfo: Hashable, Sendable {
    /// What holds the servers of a group together.
    public enum Kind: Hashable, Sendable {
        case country(code: String)
        /// A gateway in one exit country.
        case gateway(name: String, countryCode: String)
        /// A city; servers that name none are the city `nil` of their country.
        case city(name: String?, countryCode: String)

        /// Finds the servers of the group, and no others.
        ///
        /// With the filters that the groups were made by, it finds as many as
        /// ``ServerGroupInfo/serverCount`` says.
        public var filter: VPNServerFilter {
            switch self {
            case .country(let code): .kind(.country(code))
            case .gateway(let name, let code): .kind(.gatewayIn(name, countryCode: code))
            case .city(let name, let code): .kind(.cityIn(name, countryCode: code))
            }
        }
    }

    /// What holds the servers of the group together.
    public let kind: Kind
    /// How many servers are in the group.
    public let serverCount: Int
    /// How many different cities the servers name.
    public let cityCount: Int
    /// The lowest tier among the servers.
    public let minTier: Int
    /// The highest tier among the servers.
    public let maxTier: Int
    /// The features that at least one server has.
    public let featureUnion: ServerFeature
    /// The features that every server has.
    public let featureIntersection: ServerFeature
    /// The protocols that at least one endpoint supports.
    public let protocolSupport: ProtocolSupport
    /// Whether no server has an endpoint that is up.
    public let isUnderMaintenance: Bool
    /// Whether every server's machine stands in another country (smart routing).
    public let isVirtual: Bool
    /// Degrees north of the equator where one of the servers is; which one is not defined.
    public let latitude: Double
    /// Degrees east of Greenwich of that same server.
    public let longitude: Double

    /// A group as a query computed it.
    public init(
        kind: Kind, serverCount: Int, cityCount: Int, minTier: Int, maxTier: Int,
        featureUnion: ServerFeature, featureIntersection: ServerFeature,
        protocolSupport: ProtocolSupport, isUnderMaintenance: Bool, isVirtual: Bool,
        latitude: Double, longitude: Double
    ) {
        self.kind = kind
        self.serverCount = serverCount
        self.cityCount = cityCount
        self.minTier = minTier
        self.maxTier = maxTier
        self.featureUnion = featureUnion
        self.featureIntersection = featureIntersection
        self.protocolSupport = protocolSupport
        self.isUnderMaintenance = isUnderMaintenance
        self.isVirtual = isVirtual
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The exit country of the group's servers.
    public var countryCode: String {
        switch kind {
        case .country(let code): code
        case .gateway(_, let code), .city(_, let code): code
        }
    }
}

/// By what servers are put into groups.
public enum ServerGrouping: Hashable, Sendable {
    /// By gateway and exit country; servers without a gateway by exit country alone.
    case country
    /// By city and exit country, gateways or not.
    case city
}
