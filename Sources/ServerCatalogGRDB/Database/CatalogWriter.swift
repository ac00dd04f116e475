import GRDB
import Replication
import ServerCatalog

/// A writer of servers inside a transaction, using prepared statements.
final class CatalogWriter {
    private let insertLogical: RowWriter
    private let insertStatus: RowWriter
    private let updateStatus: RowWriter
    private let deleteEndpoints: RowWriter
    private let insertEndpoint: RowWriter
    private let insertOverride: RowWriter
    private let insertPlace: RowWriter
    /// The places that this writer has already stored, because many servers are in the same places.
    private var places: Set<String> = []

    init(_ db: Database) throws {
        insertLogical = try RowWriter(
            db,
            Self.upsert(
                "logical", CatalogRecords.Logical.columns, conflict: "id"))
        insertStatus = try RowWriter(
            db,
            Self.upsert(
                "logicalStatus", CatalogRecords.LogicalStatus.columns, conflict: "logicalId"))
        updateStatus = try RowWriter(
            db, "UPDATE logicalStatus SET status = ?, score = ?, load = ? WHERE logicalId = ?")
        deleteEndpoints = try RowWriter(db, "DELETE FROM endpoint WHERE logicalId = ?")
        insertEndpoint = try RowWriter(
            db, Self.insert("endpoint", CatalogRecords.Endpoint.columns))
        insertOverride = try RowWriter(
            db, Self.insert("endpointOverrides", CatalogRecords.OverrideInfo.columns))
        insertPlace = try RowWriter(db, "INSERT OR IGNORE INTO place VALUES (?)")
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
        try insertLogical.run { logical.add(to: &$0) }
        let status = CatalogRecords.LogicalStatus(logicalId: server.id, server.logical.status)
        try insertStatus.run { status.add(to: &$0) }
        for place in logical.places where places.insert(place).inserted {
            try insertPlace.run { $0.add(TextFolding.fold(place)) }
        }
        try deleteEndpoints.run { $0.add(server.id) }
        for endpoint in server.endpoints { try insert(endpoint, of: server) }
    }

    /// Returns the server without repeated endpoints. If several endpoints have the same
    /// identifier, the last of them is kept.
    private static func withoutRepeatedEndpoints(_ server: VPNServer) -> VPNServer {
        guard server.endpoints.count > 1 else { return server }
        var seen: Set<Name> = []
        let unique = server.endpoints.reversed().filter { seen.insert(Name($0.id)).inserted }
        guard unique.count < server.endpoints.count else { return server }
        return VPNServer(logical: server.logical, endpoints: unique.reversed())
    }

    private func insert(_ endpoint: ServerEndpoint, of server: VPNServer) throws {
        let record = CatalogRecords.Endpoint(endpoint, logicalId: server.id)
        try insertEndpoint.run { record.add(to: &$0) }
        if let overrides = CatalogRecords.OverrideInfo(endpoint, logicalId: server.id) {
            try insertOverride.run { overrides.add(to: &$0) }
        }
    }

    /// - Returns: Whether the server is known.
    func update(_ load: ServerLoad) throws -> Bool {
        try updateStatus.run { values in
            values.add(load.status.status)
            values.add(load.status.score)
            values.add(load.status.load)
            values.add(load.id)
        } > 0
    }
}
