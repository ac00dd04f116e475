import GRDB
import Replication
public import ServerCatalog

extension CatalogDatabase {
    /// Adds servers and replaces those with the same identifiers, endpoints included.
    ///
    /// All or nothing. Several servers may list an endpoint; each keeps it as it lists it.
    ///
    /// - Throws: `ServerCatalogError`: `.readOnly`, `.closed`, `.busy`, `.inputOutput`; nothing is
    ///   changed then. `.unconfirmed` for a change that is in the file, though the disk did not
    ///   confirm it.
    /// - Complexity: O(*n* log *m*) for *n* servers and endpoints into a catalog of *m*, in one
    ///   transaction.
    public func upsert(servers: [VPNServer]) throws {
        try write { db in
            let writer = try CatalogWriter(db)
            for server in servers { try writer.upsert(server) }
        }
    }

    /// Replaces the status of servers that are known; others are ignored.
    ///
    /// - Returns: How many were known.
    /// - Throws: As ``upsert(servers:)``.
    /// - Complexity: A look-up for each load, in one transaction.
    @discardableResult
    public func update(loads: [ServerLoad]) throws -> Int {
        try write { db in
            let writer = try CatalogWriter(db)
            return try loads.reduce(0) { try writer.update($1) ? $0 + 1 : $0 }
        }
    }

    /// Deletes the servers of tiers up to `maxTier` that are not listed.
    ///
    /// - Returns: How many were deleted.
    /// - Throws: As ``upsert(servers:)``.
    /// - Complexity: O(*n*) in the number of servers that are there and that are listed.
    @discardableResult
    public func delete(serversNotIn listed: Set<String>, maxTier: Int) throws -> Int {
        try write { db in
            let list = try ListedServers(db)
            for id in listed { try list.insert(id) }
            return try list.deleteOthers(maxTier: maxTier)
        }
    }

    /// Remembers `value`; `nil` forgets what was there.
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

    /// Runs `body` in one transaction, which is undone if it throws.
    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        guard let writer else {
            throw ServerCatalogError(.readOnly, "the catalog was opened for reading only")
        }
        return try CatalogFailure.wrapping("the catalog cannot be changed") {
            try gate.pass {
                func change(_ db: Database) throws -> Value {
                    try Self.prepare(db)
                    let value = try body(db)
                    // Rows are written past GRDB; see RowWriter.
                    try db.notifyChanges(in: .fullDatabase)
                    return value
                }
                guard let file else { return try writer.write(change) }
                return try file.inTransaction(.immediate, change)
            }
        }
    }
}
