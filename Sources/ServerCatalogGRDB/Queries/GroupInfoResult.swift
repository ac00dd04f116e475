public import GRDB
public import ServerCatalog

/// A row of a list of groups: what the servers of a country, a gateway or a city have in common.
public struct GroupInfoResult: FetchableRecord, Sendable {
    public let gatewayName: String?
    public let city: String?
    public let exitCountryCode: String
    public let serverCount: Int
    public let cityCount: Int
    public let minTier: Int
    public let maxTier: Int
    public let featureUnion: Int
    public let featureIntersection: Int
    public let protocolMask: Int
    public let isUp: Bool
    public let isVirtual: Bool
    public let latitude: Double
    public let longitude: Double

    /// Reads columns by their position in ``request(_:groupedBy:names:)``.
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
