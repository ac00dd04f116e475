public import GRDB
public import ServerCatalog

/// A row of a list of groups: the aggregates of the servers of a country, a gateway or a city.
public struct GroupInfoResult: FetchableRecord, Sendable {
    /// The gateway; `nil` for a country, or if servers are grouped by city.
    public let gatewayName: String?
    /// The city; `nil` for servers that name none, or if servers are grouped by country.
    public let city: String?
    /// The country where the servers' traffic leaves.
    public let exitCountryCode: String
    /// The number of servers.
    public let serverCount: Int
    /// The number of different cities.
    public let cityCount: Int
    /// The lowest tier among the servers.
    public let minTier: Int
    /// The highest tier among the servers.
    public let maxTier: Int
    /// The features that at least one server has, as bits of `ServerFeature`.
    public let featureUnion: Int
    /// The features that every server has, as bits of `ServerFeature`.
    public let featureIntersection: Int
    /// The protocols that at least one endpoint supports, as bits of `ProtocolSupport`.
    public let protocolMask: Int
    /// Whether at least one server has an endpoint that is up.
    public let isUp: Bool
    /// Whether every server's machine is located in a country other than the country that it shows.
    public let isVirtual: Bool
    /// The latitude in degrees of one of the servers.
    public let latitude: Double
    /// The longitude in degrees of the same server.
    public let longitude: Double

    /// Reads columns by their position in ``request(_:groupedBy:names:)``.
    ///
    /// - Throws: A GRDB `RowDecodingError` if a value has the wrong type.
    public init(row: Row) throws {
        gatewayName = try row.decode(atIndex: 0)
        city = try row.decode(atIndex: 1)
        exitCountryCode = try row.decode(atIndex: 2)
        serverCount = try row.decode(atIndex: 3)
        cityCount = try row.decode(atIndex: 4)
        minTier = try row.decode(atIndex: 5)
        maxTier = try row.decode(atIndex: 6)
        featureUnion = try row.decode(atIndex: 7)
        featureIntersection = try row.decode(atIndex: 8)
        protocolMask = try row.decode(atIndex: 9)
        isUp = try row.decode(atIndex: 10)
        isVirtual = try row.decode(atIndex: 11)
        latitude = try row.decode(atIndex: 12)
        longitude = try row.decode(atIndex: 13)
    }

    /// Returns one SELECT for all groups of the matching servers, unordered.
    public static func request(
        _ filters: [VPNServerFilter], groupedBy grouping: ServerGrouping, names: CountryNames
    ) -> SQLRequest<GroupInfoResult> {
        let selection = ServerSelection(filters, names: names)
        let place: SQL
        let key: SQL
        switch grouping {
        case .country:
            place = "logical.gatewayName, NULL"
            key = "logical.gatewayName, logical.exitCountryCode"
        case .city:
            place = "NULL, logical.city"
            key = "logical.city, logical.exitCountryCode"
        }
        return SQLRequest(
            literal: """
                \(selection.with)
                SELECT \(place), logical.exitCountryCode, COUNT(*), COUNT(DISTINCT logical.city),
                    MIN(logical.tier), MAX(logical.tier),
                    BIT_OR(logical.feature), BIT_AND(logical.feature),
                    BIT_OR(\(selection.protocols)), MAX\(selection.isUp),
                    MIN(logical.hostCountry IS NOT NULL
                        AND logical.hostCountry <> logical.exitCountryCode),
                    logical.latitude, logical.longitude
                \(selection.source)
                GROUP BY \(key)
                """,
            cached: true)
    }

    /// Returns the group as a domain value.
    public func group(_ grouping: ServerGrouping) -> ServerGroupInfo {
        let kind: ServerGroupInfo.Kind =
            switch (grouping, gatewayName) {
            case (.city, _): .city(name: city, countryCode: exitCountryCode)
            case (.country, let name?): .gateway(name: name, countryCode: exitCountryCode)
            case (.country, nil): .country(code: exitCountryCode)
            }
        return ServerGroupInfo(
            kind: kind, serverCount: serverCount, cityCount: cityCount, minTier: minTier,
            maxTier: maxTier, featureUnion: ServerFeature(rawValue: featureUnion),
            featureIntersection: ServerFeature(rawValue: featureIntersection),
            protocolSupport: ProtocolSupport(rawValue: protocolMask), isUnderMaintenance: !isUp,
            isVirtual: isVirtual, latitude: latitude, longitude: longitude)
    }
}
