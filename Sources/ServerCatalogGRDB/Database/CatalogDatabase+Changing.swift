import Foundation
import GRDB
import Replication
public import ServerCatalog

/// Changes that are known before they are written.
extension CatalogDatabase {
    /// Returns every server with all its endpoints, by identifier, with or without endpoints.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*n*) in the number of servers and endpoints.
    public func allServers() throws -> [VPNServer] {
        try read { db in
            try String.fetchAll(db, sql: "SELECT id FROM logical ORDER BY id")
                .compactMap { try ServerResult.fetchOne(db, id: $0)?.server }
        }
    }

    /// Returns the change that `body` would make to the catalog at `path`, and its result. `body`
    /// runs on a copy in memory; the file stays unchanged.
    ///
    /// - Parameter path: `nil`: an empty catalog.
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

    /// Writes a change, in one transaction. Servers that the change isn't about stay as they are.
    ///
    /// - Throws: `ServerCatalogError`, `.changedMeanwhile`, if a server of the change isn't as it
    ///   was before; as ``upsert(servers:)``.
    /// - Complexity: O(*n*) in the number of servers of the change, and of all places.
    public func apply(_ change: CatalogChange) throws {
        let added = change.added
        let deleted = change.deleted
        try write { db in
            for server in change.before {
                guard try ServerResult.fetchOne(db, id: server.id)?.server == server else {
                    throw Self.changedMeanwhile(server)
                }
            }
            for server in added where try ServerResult.fetchOne(db, id: server.id) != nil {
                throw Self.changedMeanwhile(server)
            }
            for server in deleted {
                try db.execute(sql: "DELETE FROM logical WHERE id = ?", arguments: [server.id])
            }
            let writer = try CatalogWriter(db)
            for server in change.after { try writer.upsert(server) }
            try ListedServers.deleteUnusedPlaces(db)
        }
    }

    private static func changedMeanwhile(_ server: VPNServer) -> ServerCatalogError {
        ServerCatalogError(
            .changedMeanwhile, "\(server.logical.name) has changed in the meantime")
    }

    /// Puts the file that ``rebuild(path:names:)`` kept back in place of the empty catalog.
    ///
    /// - Throws: `ServerCatalogError`: `.changedMeanwhile` if the catalog has servers by now,
    ///   `.notFound` if the kept file is missing, `.inputOutput`.
    public static func restore(kept: String, to path: String) throws {
        try CatalogFailure.wrapping("\(path) cannot be restored") {
            let files = FileManager.default
            guard files.fileExists(atPath: kept) else {
                throw ServerCatalogError(.notFound, "\(kept) does not exist")
            }
            if files.fileExists(atPath: path) {
                let catalog = try open(path: path)
                defer { try? catalog.close() }
                guard try catalog.serverCount() == 0 else {
                    throw ServerCatalogError(
                        .changedMeanwhile, "the new catalog has servers by now")
                }
            }
            // A journal that is not empty belongs to the kept file. It must be there first.
            for suffix in ["-journal", "-wal"] {
                try? files.removeItem(atPath: path + suffix)
                if files.fileExists(atPath: kept + suffix) {
                    try files.moveItem(atPath: kept + suffix, toPath: path + suffix)
                }
            }
            guard rename(kept, path) == 0 else {
                throw ServerCatalogError(
                    .inputOutput, "\(path) cannot be restored: \(String(cString: strerror(errno)))")
            }
        }
    }
}
