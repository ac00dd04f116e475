/// A group of servers and their aggregated properties.
///
/// All values are computed over the servers and endpoints that matched the filters.
public struct ServerGroupInfo: Hashable, Sendable, Codable {
    /// The property that the servers of a group share.
    public enum Kind: Hashable, Sendable, Codable {
        case country(code: String)
        /// A gateway in one exit country.
        case gateway(name: String, countryCode: String)
        /// A city in one exit country. The name is `nil` for the servers of a country that name no
        /// city.
        case city(name: String?, countryCode: String)

        /// A filter that finds exactly the servers of the group.
        ///
        /// Combined with the filters that were used to create the groups, it finds
        /// ``ServerGroupInfo/serverCount`` servers.
        public var filter: VPNServerFilter {
            switch self {
            case .country(let code): .kind(.country(code))
            case .gateway(let name, let code): .kind(.gatewayIn(name, countryCode: code))
            case .city(let name, let code): .kind(.cityIn(name, countryCode: code))
            }
        }
    }

    /// The property that the servers share.
    public package(set) var kind: Kind
    /// The number of servers.
    public let serverCount: Int
    /// The number of different cities that the servers name.
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
    /// Whether every server's machine is located in a different country (smart routing).
    public let isVirtual: Bool
    /// The latitude in degrees of an arbitrary server of the group.
    public let latitude: Double
    /// The longitude in degrees of the server that ``latitude`` belongs to.
    public let longitude: Double

    /// Creates a group from the values of a query.
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

/// The property that servers are grouped by.
public enum ServerGrouping: Hashable, Sendable {
    /// Groups by gateway and exit country, or by exit country alone for servers without a gateway.
    case country
    /// Groups by city and exit country, with or without a gateway.
    case city
}
