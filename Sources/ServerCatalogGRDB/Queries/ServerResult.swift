public import GRDB
public import ServerCatalog

/// A server with its status and all its endpoints.
public struct ServerResult: Sendable {
    /// The server with all its endpoints, regardless of the filters.
    public let server: VPNServer

    /// Fetches the first matching server, using one SELECT for the server and one for its
    /// endpoints.
    ///
    /// - Throws: A GRDB `DatabaseError` or `RowDecodingError`.
    public static func fetchFirst(
        _ db: Database, _ filters: [VPNServerFilter], orderedBy order: VPNServerOrder,
        names: CountryNames
    ) throws -> ServerResult? {
        let request = ServerInfoResult.request(filters, orderedBy: order, limit: 1, names: names)
        return try request.fetchOne(db).map { try ServerResult($0, db) }
    }

    /// Fetches the server with the given identifier, with or without endpoints; `nil` if there is
    /// none.
    ///
    /// - Throws: A GRDB `DatabaseError` or `RowDecodingError`.
    public static func fetchOne(_ db: Database, id: String) throws -> ServerResult? {
        try ServerInfoResult.request(id: id).fetchOne(db).map { try ServerResult($0, db) }
    }

    private init(_ result: ServerInfoResult, _ db: Database) throws {
        let endpoints = try EndpointResult.request(logicalID: result.info.id).fetchAll(db)
        server = VPNServer(
            logical: result.info.logical, endpoints: endpoints.map(\.endpoint))
    }
}

/// An endpoint with its overrides.
struct EndpointResult: FetchableRecord {
    let endpoint: ServerEndpoint

    init(row: Row) throws {
        let overrides: String? = try row.decode(atIndex: 7)
        endpoint = ServerEndpoint(
            id: try row.decode(atIndex: 0), entryIP: try row.decode(atIndex: 1),
            exitIP: try row.decode(atIndex: 2), domain: try row.decode(atIndex: 3),
            status: try row.decode(atIndex: 4),
            label: try row.decode(atIndex: 5), x25519PublicKey: try row.decode(atIndex: 6),
            overrides: overrides.flatMap { ProtocolOverrides(json: $0) })
    }

    /// Returns the request for a server's endpoints, in the order of the imported list.
    static func request(logicalID: String) -> SQLRequest<EndpointResult> {
        SQLRequest(
            literal: """
                SELECT endpoint.id, endpoint.entryIP, endpoint.exitIP, endpoint.domain,
                    endpoint.status, endpoint.label, endpoint.x25519PublicKey,
                    endpointOverrides.protocolEntries
                FROM endpoint
                LEFT JOIN endpointOverrides ON endpointOverrides.logicalId = endpoint.logicalId
                    AND endpointOverrides.endpointId = endpoint.id
                WHERE endpoint.logicalId = \(logicalID)
                ORDER BY endpoint.rowid
                """,
            cached: true)
    }
}
