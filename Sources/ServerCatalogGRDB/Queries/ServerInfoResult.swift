public import GRDB
public import ServerCatalog

/// A row of a list of servers: a server with its status and the aggregates of its endpoints.
public struct ServerInfoResult: FetchableRecord, Sendable {
    /// The row as a domain value.
    public let info: ServerInfo

    static let columns: SQL = """
        logical.id, logical.name, logical.domain, logical.entryCountryCode,
        logical.exitCountryCode, logical.hostCountry, logical.city, logical.translatedCity,
        logical.gatewayName, logical.tier, logical.feature, logical.latitude, logical.longitude,
        logicalStatus.load, logicalStatus.score, logicalStatus.status
        """

    /// Reads columns by their position in ``request(_:orderedBy:limit:names:)``.
    ///
    /// - Throws: A GRDB `RowDecodingError` if a value has the wrong type.
    public init(row: Row) throws {
        info = ServerInfo(
            logical: try Logical(row),
            protocolSupport: ProtocolSupport(rawValue: try row.decode(atIndex: 16)),
            isUnderMaintenance: !(try row.decode(Bool.self, atIndex: 17)))
    }

    /// Returns one SELECT for all matching servers.
    public static func request(
        _ filters: [VPNServerFilter], orderedBy order: VPNServerOrder, limit: Int? = nil,
        names: CountryNames
    ) -> SQLRequest<ServerInfoResult> {
        let selection = ServerSelection(filters, names: names)
        let limit: SQL = limit.map { "LIMIT \(max(0, $0))" } ?? ""
        return SQLRequest(
            literal: """
                \(selection.with)
                SELECT \(columns), \(selection.protocols), \(selection.isUp)
                \(selection.source)
                \(order.sql)
                \(limit)
                """,
            cached: true)
    }

    /// Returns the request for the server with the given identifier, with or without endpoints.
    public static func request(id: String) -> SQLRequest<ServerInfoResult> {
        SQLRequest(
            literal: """
                SELECT \(columns), COALESCE(logical.protocolMask, 0),
                    logicalStatus.status <> 0 AND logical.upProtocolMask IS NOT NULL
                FROM logical
                JOIN logicalStatus ON logicalStatus.logicalId = logical.id
                WHERE logical.id = \(id)
                """,
            cached: true)
    }
}

extension Logical {
    /// Creates a server from the columns of ``ServerInfoResult/columns``.
    init(_ row: Row) throws {
        self.init(
            id: try row.decode(atIndex: 0), name: try row.decode(atIndex: 1),
            domain: try row.decode(atIndex: 2), entryCountryCode: try row.decode(atIndex: 3),
            exitCountryCode: try row.decode(atIndex: 4), hostCountry: try row.decode(atIndex: 5),
            city: try row.decode(atIndex: 6), translatedCity: try row.decode(atIndex: 7),
            gatewayName: try row.decode(atIndex: 8), tier: try row.decode(atIndex: 9),
            features: ServerFeature(rawValue: try row.decode(atIndex: 10)),
            latitude: try row.decode(atIndex: 11), longitude: try row.decode(atIndex: 12),
            status: LogicalStatus(
                load: try row.decode(atIndex: 13), score: try row.decode(atIndex: 14),
                status: try row.decode(atIndex: 15)))
    }
}
