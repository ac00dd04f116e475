import Foundation
import GRDB
import Replication
public import ServerCatalog

extension CatalogDatabase {
    /// An empty catalog that lives as long as this object.
    ///
    /// - Throws: `ServerCatalogError`, `.inputOutput`, if SQLite has no memory left.
    public static func inMemory(names: CountryNames = .environment) throws -> CatalogDatabase {
        try CatalogFailure.wrapping("a catalog in memory cannot be made") {
            try CatalogDatabase(DatabaseQueue(configuration: configuration), names: names)
        }
    }

    /// The catalog in a file, for reading and writing; an empty one is created where there is none.
    ///
    /// The file is the whole database: changes go through a rollback journal that is emptied
    /// after each, never a write-ahead log, so that a sync service may carry it. A change is on
    /// disk when its call returns. While another process writes, a call waits up to 5 seconds.
    ///
    /// - Throws: `ServerCatalogError`; see ``init(_:names:)``, and ``rebuild(path:names:)`` for
    ///   a way out of `.newerSchema`.
    public static func open(
        path: String, names: CountryNames = .environment
    ) throws -> CatalogDatabase {
        try CatalogFailure.wrapping("\(path) cannot be opened") {
            try CatalogDatabase(localFile(path), names: names)
        }
    }

    /// A connection for writing to a file that is a catalog, of any earlier version, or not there.
    static func localFile(_ path: String) throws -> LocalFile {
        let isThere = FileManager.default.fileExists(atPath: path)
        // Looked at before the journal mode is touched, which would change the file.
        if isThere { _ = try CatalogFile(path).state() }
        do {
            return try LocalFile(path, configuration: configuration)
        } catch let error as ReplicationError
            where !isThere && [.notFound, .inputOutput].contains(error.code)
        {
            throw ServerCatalogError(.cannotCreate, error.message, cause: error)
        }
    }

    /// The catalog in a file, for reading: nothing is written, neither to the file nor beside it.
    ///
    /// Each call reads the file as it is then, as it was after the last complete change, and lets
    /// go of it. No lock is waited for. A catalog with an earlier schema is copied into memory and
    /// brought up to date there: of that, changes made to the file afterwards are not seen.
    ///
    /// - Throws: `ServerCatalogError`: `.notFound`, `.notACatalog`, `.newerSchema`, `.damaged`,
    ///   `.busy`, `.noPermission`.
    public static func openForReading(
        path: String, names: CountryNames = .environment
    ) throws -> CatalogDatabase {
        try CatalogFailure.wrapping("\(path) cannot be read") {
            try CatalogDatabase(readingFrom: CatalogFile(path), names: names)
        }
    }

    /// Puts an empty catalog in the place of a file, which is kept beside it.
    ///
    /// For a catalog that a later version has written, or one that is damaged. The caller asks
    /// first. The old file is renamed, with `.old` and if need be a number behind its name.
    ///
    /// - Returns: The new catalog, and the path of the old one.
    /// - Throws: `ServerCatalogError`: `.notFound`, `.notACatalog` for a folder, `.cannotCreate`,
    ///   `.inputOutput` where the file cannot be renamed.
    public static func rebuild(
        path: String, names: CountryNames = .environment
    ) throws -> (catalog: CatalogDatabase, kept: String) {
        try CatalogFailure.wrapping("\(path) cannot be rebuilt") {
            let files = FileManager.default
            var isFolder: ObjCBool = false
            guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw ServerCatalogError(.notFound, "\(path) does not exist")
            }
            guard !isFolder.boolValue else {
                throw ServerCatalogError(.notACatalog, "\(path) is a folder, not a catalog")
            }
            let candidates = sequence(first: 1) { $0 + 1 }.lazy
                .map { $0 == 1 ? "\(path).old" : "\(path).old-\($0)" }
            guard let kept = candidates.first(where: { !files.fileExists(atPath: $0) }) else {
                throw ServerCatalogError(.cannotCreate, "no name is left beside \(path)")
            }
            // A journal or log that is not empty belongs to the old file and must stay with it.
            for suffix in ["-journal", "-wal"] where files.fileExists(atPath: path + suffix) {
                try files.moveItem(atPath: path + suffix, toPath: kept + suffix)
            }
            try files.moveItem(atPath: path, toPath: kept)
            return (try open(path: path, names: names), kept)
        }
    }

    /// What every connection of the catalog's own has in common.
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "ServerCatalog"
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try prepare(db)
            // In KiB: room for a whole import, so that readers are locked out at its end only.
            try db.execute(sql: "PRAGMA cache_size = -65536")
        }
        return configuration
    }
}
