import DocumentStore
import Foundation
import GRDB
public import Replication
import Tables

/// The kind of store at a path, detected from its content, not from its name.
public enum StoreKind: Hashable, Sendable {
    /// A store package: a folder that contains `Devices`.
    case package(StorePackage)
    /// The entity store of the original Datastore (Core Data), one file.
    case coreDataEntities
    /// One device's `Entities.db`.
    case entities
    /// A server catalog.
    case catalog
    /// The chunk store of the original AutomergeStore (Core Data), one file.
    case coreDataDocuments
    /// A folder of automerge-repo's file-system storage.
    case storageFolder
    /// One Automerge file.
    case automerge
    /// Any other store of Core Data or SwiftData, one file.
    case coreDataTables
    /// Any other SQLite database.
    case tables

    /// The name in `tideline info`.
    public var name: String {
        switch self {
        case .package: "package"
        case .coreDataEntities, .entities: "entities"
        case .catalog: "catalog"
        case .coreDataDocuments, .storageFolder: "documents"
        case .automerge: "automerge"
        case .coreDataTables, .tables: "tables"
        }
    }

    /// The name of the format in `tideline info`; `nil` for packages, because each device can have
    /// its own format.
    public var format: String? {
        switch self {
        case .package: nil
        case .coreDataEntities: "datastore"
        case .entities: "tideline-2"
        case .coreDataDocuments: "automergestore"
        case .storageFolder: "automerge-repo"
        case .automerge: "automerge"
        case .coreDataTables: "core-data"
        case .catalog, .tables: "sqlite"
        }
    }

    /// Detects the kind of store at `path`. Writes nothing.
    ///
    /// - Throws: ``CoreError`` `.notFound` or `.badData`, `ReplicationError` for unreadable files.
    public init(of path: String) throws {
        if try Self.isFolder(path) {
            do {
                self = .package(try StorePackage(opening: path))
            } catch {
                guard error.code == .notAPackage, AutomergeStore.isStorageFolder(path) else {
                    throw error
                }
                self = .storageFolder
            }
            return
        }
        switch try Self.beginning(of: path) {
        case let bytes where bytes.starts(with: [0x85, 0x6F, 0x4A, 0x83]): self = .automerge
        case let bytes where bytes.starts(with: Array("SQLite format 3\0".utf8)):
            self = try Self.kindOfDatabase(path)
        case let bytes where bytes.isEmpty:
            throw CoreError(.badData, "the file is empty")
        default:
            let beginning = try WholeFile.beginning(of: path, count: 1024)
            let reason = TableFile.reasonForNoDatabase(
                beginning: beginning,
                byteCount: try FileStamp(ofFileAt: Self.resolved(path)).byteCount)
            throw CoreError(
                .badData, "neither a store package nor an Automerge file, and \(reason)")
        }
    }

    /// Resolves a path that the user gave, if it is a symbolic link. Links inside a package are not
    /// followed.
    public static func resolved(_ path: String) -> String {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
            !isFolder.boolValue
        else { return path }
        return URL(filePath: path).resolvingSymlinksInPath().path
    }

    /// Returns whether `path` is a folder rather than a file.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.noPermission`.
    public static func isFolder(_ path: String) throws(ReplicationError) -> Bool {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ReplicationError(.notFound, at: path, "no such file or folder")
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw ReplicationError(.noPermission, at: path, "permission denied")
        }
        return isFolder.boolValue
    }

    /// Returns whether there is a folder at `path`, even if it isn't readable.
    static func isExistingFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    /// Returns the package at `path`.
    ///
    /// - Throws: `ReplicationError`: the errors of ``isFolder(_:)``; `.notAPackage` if the folder
    ///   isn't a package.
    public static func package(at path: String) throws(ReplicationError) -> StorePackage {
        guard try isFolder(path) else {
            throw ReplicationError(.notAPackage, at: path, "a file, not a store package")
        }
        return try StorePackage(opening: path)
    }

    /// Checks that a file is an SQLite database, regardless of its content.
    ///
    /// - Throws: The errors of ``init(of:)`` if the file isn't a database.
    public static func requireDatabase(_ path: String) throws {
        guard try isDatabase(path) else {
            if case .automerge = try StoreKind(of: path) {
                throw CoreError(.badData, "an Automerge file, not an SQLite database")
            }
            throw CoreError(.badData, "not an SQLite database")
        }
    }

    /// Returns whether a file starts like an SQLite database. The rest may be damaged.
    static func isDatabase(_ path: String) throws -> Bool {
        try beginning(of: path).starts(with: Array("SQLite format 3\0".utf8))
    }

    private static func beginning(of path: String) throws -> [UInt8] {
        try WholeFile.beginning(of: path, count: 16)
    }

    private static func kindOfDatabase(_ path: String) throws -> StoreKind {
        let (tables, _) = try TableFile(path).read { try $0.tableNames() }
        if tables.contains("zentityrecord") { return .coreDataEntities }
        if tables.isSuperset(of: ["meta", "names", "log"]) { return .entities }
        if tables.contains("zchunkmo") { return .coreDataDocuments }
        if tables.isSuperset(of: ["logical", "endpoint", "logicalstatus"]) { return .catalog }
        return tables.isSuperset(of: ["z_metadata", "z_primarykey"]) ? .coreDataTables : .tables
    }
}

extension Database {
    /// Returns the names of all tables, in lower case.
    func tableNames() throws -> Set<String> {
        try Set(
            String.fetchAll(
                self, sql: "SELECT lower(name) FROM sqlite_master WHERE type = 'table'"))
    }
}
