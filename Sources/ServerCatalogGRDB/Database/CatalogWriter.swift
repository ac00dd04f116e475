import GRDB
import ServerCatalog

/// Writes servers inside a transaction, with statements that are compiled once.
final class CatalogWriter {
    private let db: Database
    private let insertLogical: Statement
    private let insertStatus: Statement
    private let updateStatus: Statement
    private let deleteEndpoints: Statement
    private let insertEndpoint: Statement
    private let insertOverride: Statement
    private let insertPlace: Statement
    /// Places that were inserted by this writer, most of which many servers share.
    private var places: Set<String> = []

    init(_ db: Database) throws {
        self.db = db
        insertLogical = try db.makeStatement(
            sql: Self.upsert(
                "logical", CatalogRecords.Logical.columns, conflict: "id"))
        insertStatus = try db.makeStatement(
            sql: Self.upsert(
                "logicalStatus", CatalogRecords.LogicalStatus.columns, conflict: "logicalId"))
        updateStatus = try db.makeStatement(
            sql: "UPDATE logicalStatus SET status = ?, score = ?, load = ? WHERE logicalId = ?")
        deleteEndpoints = try db.makeStatement(sql: "DELETE FROM endpoint WHERE logicalId = ?")
        insertEndpoint = try db.makeStatement(
            sql: Self.insert("endpoint", CatalogRecords.Endpoint.columns)
                + " ON CONFLICT(id) DO NOTHING")
        insertOverride = try db.makeStatement(
            sql: Self.insert("endpointOverrides", CatalogRecords.OverrideInfo.columns))
        insertPlace = try db.makeStatement(sql: "INSERT OR IGNORE INTO place VALUES (?)")
    }

    private static func insert(_ table: String, _ columns: [String]) -> String {
        """
        INSERT INTO \(table) (\(columns.joined(separator: ", ")))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """
    }

    private static func upsert(_ table: String, _ columns: [String], conflict: String) -> String {
        let updates = columns.filter { $0 != conflict }.map { "\($0) = excluded.\($0)" }
        return """
            \(insert(table, columns))
            ON CONFLICT(\(conflict)) DO UPDATE SET \(updates.joined(separator: ", "))
            """
    }

    func upsert(_ server: VPNServer) throws {
        let server = Self.withoutRepeatedEndpoints(server)
        let logical = CatalogRecords.Logical(server)
        try insertLogical.execute(arguments: StatementArguments(logical.values))
        let status = CatalogRecords.LogicalStatus(logicalId: server.id, server.logical.status)
        try insertStatus.execute(arguments: StatementArguments(status.values))
        for place in logical.foldedPlaces where places.insert(place).inserted {
            try insertPlace.execute(arguments: [place])
        }
        try deleteEndpoints.execute(arguments: [server.id])
        for endpoint in server.endpoints { try insert(endpoint, of: server) }
    }

    /// The server with the last of the endpoints that share an identifier.
    private static func withoutRepeatedEndpoints(_ server: VPNServer) -> VPNServer {
        guard server.endpoints.count > 1 else { return server }
        var seen: Set<String> = []
        let unique = server.endpoints.reversed().filter { seen.insert($0.id).inserted }
        guard unique.count < server.endpoints.count else { return server }
        return VPNServer(logical: server.logical, endpoints: unique.reversed())
    }

    private func insert(_ endpoint: ServerEndpoint, of server: VPNServer) throws {
        let record = CatalogRecords.Endpoint(endpoint, logicalId: server.id)
        try insertEndpoint.execute(arguments: StatementArguments(record.values))
        if db.changesCount == 0 {
            try takeAway(endpoint)
            try insertEndpoint.execute(arguments: StatementArguments(record.values))
        }
        if let overrides = CatalogRecords.OverrideInfo(endpoint) {
            try insertOverride.execute(arguments: StatementArguments(overrides.values))
        }
    }

    /// Removes an endpoint from the server that has it, whose summaries change by that.
    private func takeAway(_ endpoint: ServerEndpoint) throws {
        let owner = try String.fetchOne(
            db, sql: "SELECT logicalId FROM endpoint WHERE id = ?", arguments: [endpoint.id])
        try db.execute(sql: "DELETE FROM endpoint WHERE id = ?", arguments: [endpoint.id])
        try db.execute(
            sql: """
                UPDATE logical SET (protocolMask, upProtocolMask) = (
                    SELECT BIT_OR(COALESCE(o.protocolMask, 63)),
                        BIT_OR(CASE WHEN COALESCE(e.status, 1) <> 0
                            THEN COALESCE(o.protocolMask, 63) END)
                    FROM endpoint e LEFT JOIN endpointOverrides o ON o.endpointId = e.id
                    WHERE e.logicalId = logical.id)
                WHERE id = ?
                """,
            arguments: [owner])
    }

    /// - Returns: Whether the server is known.
    func update(_ load: ServerLoad) throws -> Bool {
        try updateStatus.execute(arguments: [
            load.status.status, load.status.score, load.status.load, load.id,
        ])
        return db.changesCount > 0
    }
}
