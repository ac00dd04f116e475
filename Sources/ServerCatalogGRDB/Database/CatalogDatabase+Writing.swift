import GRDB
import Replication
public import ServerCatalog

extension CatalogDatabase {
    /// Adds servers, or replaces those with the same identifiers, including their endpoints.
    ///
    /// Stores all servers or none. Several servers can list the same endpoint; each keeps its own
    /// copy.
    ///
    /// - Throws: `ServerCatalogError`: `.readOnly`, `.closed`, `.busy`, `.inputOutput`, which leave
    ///   the catalog unchanged; `.unconfirmed` if the change was written, but the disk didn't
    ///   confirm it.
    /// - Complexity: O(*n* log *m*) for *n* servers and endpoints in a catalog of *m*, in one
    ///   transaction.
    public func upsert(servers: [VPNServer]) throws {
        try write { db in
            let writer = try CatalogWriter(db)
            for server in servers { try writer.upsert(server) }
        }
    }

    /// Updates the status of known servers and ignores others.
    ///
    /// - Returns: The number of known servers.
    /// - Throws: As ``upsert(servers:)``.
    /// - Complexity: One lookup per load, in one transaction.
    @discardableResult
    public func update(loads: [ServerLoad]) throws -> Int {
        try write { db in
            let writer = try CatalogWriter(db)
            return try loads.reduce(0) { try writer.update($1) ? $0 + 1 : $0 }
        }
    }

    /// Deletes the servers of tiers up to `maxTier` that are not listed.
    ///
    /// - Returns: The number of deleted servers.
    /// - Throws: As ``upsert(servers:)``.
    /// - Complexity: O(*n*) in the number of existing and listed servers.
    @discardableResult
    public func delete(serversNotIn listed: Set<String>, maxTier: Int) throws -> Int {
        try write { db in
            let list = try ListedServers(db)
            for id in listed { try list.insert(id) }
            return try list.deleteOthers(maxTier: maxTier)
        }
    }

    /// Stores `value` under `key`; `nil` removes the stored value.
    ///
    /// - Throws: As ``upsert(servers:)``.
    public func setMetadata(_ value: String?, for key: CatalogMetadataKey) throws {
        try write { try Self.setMetadata(value, for: key, in: $0) }
    }

    static func setMetadata(
        _ value: String?, for key: CatalogMetadataKey, in db: Database
    ) throws {
        if let value {
            try db.execute(
                sql: "INSERT INTO databaseMetadata (key, value) VALUES (?, ?)",
                arguments: [key.rawValue, value])
        } else {
            try db.execute(
                sql: "DELETE FROM databaseMetadata WHERE key = ?", arguments: [key.rawValue])
        }
    }

    /// Runs `body` in one transaction, which is rolled back if `body` throws.
    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        guard let writer else {
            throw ServerCatalogError(.readOnly, "the catalog is open for reading only")
        }
        return try CatalogErrors.wrapping("the catalog can't be changed") {
            try gate.pass {
                func change(_ db: Database) throws -> Value {
                    try Self.prepare(db)
                    let value = try body(db)
                    // Rows are written without GRDB, so observers must be notified. See RowWriter.
                    try db.notifyChanges(in: .fullDatabase)
                    return value
                }
                guard let file else { return try writer.write(change) }
                return try file.inTransaction(.immediate, change)
            }
        }
    }
}
