public import GRDB
public import ServerCatalog

/// A row of a list of groups: the aggregates of the servers of a country, a gateway or a city.
public struct GroupInfoResult: FetchableRecord, Sendable {
    /// The gateway; `nil` for a country, or if servers are grouped by city.
    private let gatewayName: String?
    /// The city; `nil` for servers that name no city, or if servers are grouped by country.
    private let city: String?
    /// A country's group that holds the aggregates and the country code.
    private let country: ServerGroupInfo

    /// Reads columns by their position in ``request(_:groupedBy:names:)``.
    ///
    /// - Throws: A GRDB `RowDecodingError` if a value has the wrong type.
    public init(row: Row) throws {
        gatewayName = try row.decode(atIndex: 0)
        city = try row.decode(atIndex: 1)
        country = ServerGroupInfo(
            kind: .country(code: try row.decode(atIndex: 2)),
            serverCount: try row.decode(atIndex: 3), cityCount: try row.decode(atIndex: 4),
            minTier: try row.decode(atIndex: 5), maxTier: try row.decode(atIndex: 6),
            featureUnion: ServerFeature(rawValue: try row.decode(atIndex: 7)),
            featureIntersection: ServerFeature(rawValue: try row.decode(atIndex: 8)),
            protocolSupport: ProtocolSupport(rawValue: try row.decode(atIndex: 9)),
            isUnderMaintenance: !(try row.decode(Bool.self, atIndex: 10)),
            isVirtual: try row.decode(atIndex: 11), latitude: try row.decode(atIndex: 12),
            longitude: try row.decode(atIndex: 13))
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
        var group = country
        switch (grouping, gatewayName) {
        case (.city, _): group.kind = .city(name: city, countryCode: country.countryCode)
        case (.country, let name?):
            group.kind = .gateway(name: name, countryCode: country.countryCode)
        case (.country, nil): break
        }
        return group
    }
}
