import Foundation
import GRDB
import Replication
public import ServerCatalog

extension CatalogDatabase {
    /// Creates an empty catalog in memory.
    ///
    /// - Throws: `ServerCatalogError`, `.inputOutput`, if SQLite is out of memory.
    public static func inMemory(names: CountryNames = .environment) throws -> CatalogDatabase {
        try CatalogErrors.wrapping("a catalog in memory can't be created") {
            try CatalogDatabase(DatabaseQueue(configuration: configuration), names: names)
        }
    }

    /// Opens the catalog in a file for reading and writing, and creates an empty one if the file
    /// doesn't exist.
    ///
    /// The file is the whole database, so a sync service can carry it. Changes use a rollback
    /// journal, which is emptied after each change, and never a write-ahead log. A change is on
    /// disk when its call returns. A call waits up to 5 seconds while another process writes.
    ///
    /// - Throws: `ServerCatalogError`. See ``init(_:names:)``, and ``rebuild(path:names:)`` for how
    ///   to handle `.newerSchema`.
    public static func open(
        path: String, names: CountryNames = .environment
    ) throws -> CatalogDatabase {
        try CatalogErrors.wrapping("\(path) can't be opened") {
            let file = try localFile(path)
            return try discardingHalfMade(file) { try CatalogDatabase(file, names: names) }
        }
    }

    /// Runs `body`. If `body` fails before a new file is a complete catalog, deletes the file.
    static func discardingHalfMade<Value>(
        _ file: LocalFile, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch {
            file.discard { try CatalogSchemaState($0) != .current }
            throw error
        }
    }

    /// Opens a connection for writing to a missing file or a catalog of this or any earlier
    /// version.
    static func localFile(_ path: String) throws -> LocalFile {
        let exists = FileManager.default.fileExists(atPath: path)
        // Check before setting the journal mode, which would change the file.
        if exists { _ = try CatalogFile(path).state() }
        do {
            return try LocalFile(path, configuration: configuration)
        } catch let error as ReplicationError
            where !exists && [.notFound, .inputOutput].contains(error.code)
        {
            throw ServerCatalogError(.cannotCreate, error.message, cause: error)
        }
    }

    /// Opens the catalog in a file for reading. Nothing is written to the file or next to it.
    ///
    /// Each call opens the file, reads its last committed state, and closes it. No call waits for
    /// locks. A catalog with an earlier schema is copied into memory and migrated there. In that
    /// case, later changes of the file are not visible.
    ///
    /// - Throws: `ServerCatalogError`: `.notFound`, `.notACatalog`, `.newerSchema`, `.damaged`,
    ///   `.busy`, `.noPermission`.
    public static func openForReading(
        path: String, names: CountryNames = .environment
    ) throws -> CatalogDatabase {
        try CatalogErrors.wrapping("\(path) can't be read") {
            try CatalogDatabase(readingFrom: CatalogFile(path), names: names)
        }
    }

    /// Replaces a file with an empty catalog, and keeps the old file in the same folder.
    ///
    /// Use this method for a damaged catalog or a catalog of a later version, after asking the
    /// user. Renames the old file with the suffix `.old`, and a number if necessary.
    ///
    /// - Returns: The new catalog, and the path of the old file.
    /// - Throws: `ServerCatalogError`: `.notFound`, `.notACatalog` for a folder, `.cannotCreate`,
    ///   `.noPermission` or `.inputOutput` if the file can't be renamed.
    public static func rebuild(
        path: String, names: CountryNames = .environment
    ) throws -> (catalog: CatalogDatabase, kept: String) {
        try CatalogErrors.wrapping("\(path) can't be rebuilt") {
            let files = FileManager.default
            var isFolder: ObjCBool = false
            guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw ServerCatalogError(.notFound, "\(path) does not exist")
            }
            guard !isFolder.boolValue else {
                throw ServerCatalogError(.notACatalog, "\(path) is a folder, not a catalog")
            }
            let kept = try OwnFile.keptName(path)
            // A journal or log that is not empty belongs to the old file and must stay with it.
            for suffix in ["-journal", "-wal"] where files.fileExists(atPath: path + suffix) {
                try files.moveItem(atPath: path + suffix, toPath: kept + suffix)
            }
            try files.moveItem(atPath: path, toPath: kept)
            return (try open(path: path, names: names), kept)
        }
    }

    /// The configuration of all connections that the catalog opens.
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "ServerCatalog"
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try prepare(db)
            // The size is in KiB. A whole import fits in the cache, so an import locks readers out
            // only at the end.
            try db.execute(sql: "PRAGMA cache_size = -65536")
        }
        return configuration
    }
}
