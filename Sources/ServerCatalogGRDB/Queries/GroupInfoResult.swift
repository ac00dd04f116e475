public import GRDB
public import ServerCatalog

/// A row of a list of groups: what the servers of a country, a gateway or a city have in common.
public struct GroupInfoResult: FetchableRecord, Sendable {
    /// The gateway; `nil` for a country, and where servers are grouped by city.
    public let gatewayName: String?
    /// The city; `nil` for servers that name none, and where they are grouped by country.
    public let city: String?
    /// The country where the servers leave.
    public let exitCountryCode: String
    /// How many servers are in the group.
    public let serverCount: Int
    /// How many different cities they name.
    public let cityCount: Int
    /// The lowest tier among them.
    public let minTier: Int
    /// The highest tier among them.
    public let maxTier: Int
    /// The features that at least one server has, as bits of `ServerFeature`.
    public let featureUnion: Int
    /// The features that every server has, as bits of `ServerFeature`.
    public let featureIntersection: Int
    /// The protocols that at least one endpoint supports, as bits of `ProtocolSupport`.
    public let protocolMask: Int
    /// Whether at least one server has an endpoint that is up.
    public let isUp: Bool
    /// Whether every server's machine stands in another country than it shows.
    public let isVirtual: Bool
    /// Degrees north of the equator where one of the servers is.
    public let latitude: Double
    /// Degrees east of Greenwich of that same server.
    public let longitude: Double

    /// Reads columns by their position in ``request(_:groupedBy:names:)``.
    ///
    /// - Throws: A `RowDecodingError` of GRDB's for a value of another type than its column.
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

    /// One SELECT for all groups of the servers that match, in no order.
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

    /// The group as the domain has it.
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
