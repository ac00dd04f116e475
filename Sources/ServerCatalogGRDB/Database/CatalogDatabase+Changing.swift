import Foundation
import GRDB
public import ServerCatalog

/// Methods that preview, apply, and undo changes.
extension CatalogDatabase {
    /// Returns all servers with all their endpoints, in the order of their identifiers. Servers
    /// without endpoints are included.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*n*) in the number of servers and endpoints.
    public func allServers() throws -> [VPNServer] {
        try read { db in
            try String.fetchAll(db, sql: "SELECT id FROM logical ORDER BY id")
                .compactMap { try ServerResult.fetchOne(db, id: $0)?.server }
        }
    }

    /// Returns the change that `body` would make to the catalog at `path`, and the result of
    /// `body`. `body` runs on a copy in memory; the file stays unchanged.
    ///
    /// - Parameter path: The path of the catalog; `nil` for an empty catalog.
    /// - Throws: As ``loadIntoMemory(path:names:)``; errors of `body`.
    /// - Complexity: O(*n*) in the size of the catalog.
    public static func previewing<Value>(
        path: String?, _ body: (CatalogDatabase) throws -> Value
    ) throws -> (change: CatalogChange, value: Value) {
        let copy = try path.map { try loadIntoMemory(path: $0) } ?? inMemory()
        defer { try? copy.close() }
        let before = try copy.allServers()
        let value = try body(copy)
        return (CatalogChange(from: before, to: try copy.allServers()), value)
    }

    /// Writes a change, in one transaction. All other servers stay unchanged.
    ///
    /// - Throws: `ServerCatalogError`, `.changedSinceRead`, if a server in the catalog differs from
    ///   its state before the change, or if a server to add already exists. Also the errors of
    ///   ``upsert(servers:)``.
    /// - Complexity: O(*n*) in the number of servers of the change, and of all places.
    public func apply(_ change: CatalogChange) throws {
        let added = change.added
        let deleted = change.deleted
        try write { db in
            for server in change.before {
                guard try ServerResult.fetchOne(db, id: server.id)?.server == server else {
                    throw Self.changedSinceRead(server)
                }
            }
            for server in added where try ServerResult.fetchOne(db, id: server.id) != nil {
                throw Self.changedSinceRead(server)
            }
            for server in deleted {
                try db.execute(sql: "DELETE FROM logical WHERE id = ?", arguments: [server.id])
            }
            let writer = try CatalogWriter(db)
            for server in change.after { try writer.upsert(server) }
            try ListedServers.deleteUnusedPlaces(db)
        }
    }

    private static func changedSinceRead(_ server: VPNServer) -> ServerCatalogError {
        ServerCatalogError(
            .changedSinceRead, "\(server.logical.name) has changed in the meantime")
    }

    /// Replaces the empty catalog with the file that ``rebuild(path:names:)`` kept. The empty
    /// catalog is locked during the replacement. After an error, the kept file is unchanged.
    ///
    /// - Throws: `ServerCatalogError`: `.changedSinceRead` if the catalog has servers,
    ///   `.notFound` if the kept file is missing, `.busy`, `.noPermission`, `.inputOutput`.
    public static func restore(kept: String, to path: String) throws {
        guard FileManager.default.fileExists(atPath: kept) else {
            throw ServerCatalogError(.notFound, "\(kept) does not exist")
        }
        let catalog = try open(path: path)
        defer { try? catalog.close() }
        try CatalogErrors.wrapping("\(path) can't be restored") {
            try catalog.writer?.writeWithoutTransaction { db in
                try db.inTransaction(.exclusive) {
                    guard try String.fetchOne(db, sql: "SELECT id FROM logical LIMIT 1") == nil
                    else {
                        throw ServerCatalogError(
                            .changedSinceRead, "the new catalog is no longer empty")
                    }
                    try replace(path, by: kept)
                    return .rollback
                }
            }
        }
    }

    /// Replaces the file of a locked catalog with a kept file.
    private static func replace(_ path: String, by kept: String) throws {
        let files = FileManager.default
        // A journal that is not empty belongs to the kept file. Copy it before moving the file, so
        // that the file has its journal under the old name and under the new one.
        let journals = ["-journal", "-wal"].filter { files.fileExists(atPath: kept + $0) }
        for suffix in journals {
            try? files.removeItem(atPath: path + suffix)
            do {
                try files.linkItem(atPath: kept + suffix, toPath: path + suffix)
            } catch {
                // The file system has no hard links.
                try files.copyItem(atPath: kept + suffix, toPath: path + suffix)
            }
        }
        guard rename(kept, path) == 0 else {
            let number = errno
            for suffix in journals { try? files.removeItem(atPath: path + suffix) }
            throw ServerCatalogError(
                [EACCES, EPERM, EROFS].contains(number) ? .noPermission : .inputOutput,
                "\(path) can't be restored: \(String(cString: strerror(number)))")
        }
        for suffix in journals { try? files.removeItem(atPath: kept + suffix) }
    }
}
