import Foundation
import GRDB
public import Replication
import Tables

/// The kind of store at a path, detected from its content, not from its name.
public enum StoreKind: Sendable {
    /// A store package: a folder that contains `Devices`.
    case package(StorePackage)
    /// A single file, or a folder of another program.
    case single(SingleStore)

    private var single: SingleStore? { if case .single(let store) = self { store } else { nil } }

    /// The name in `tideline info`.
    public var name: String { single?.name ?? "package" }

    /// The name of the format in `tideline info`; `nil` for packages, because each device can have
    /// its own format.
    public var format: String? { single?.format }

    /// The location of a store outside packages, as its data model's part needs it.
    package var place: (any Sendable)? { single?.place }

    /// Whether the store is a single Automerge file.
    package var isAutomergeFile: Bool { single?.isDocument == true }

    /// Detects the kind of store at `path`. Writes nothing.
    ///
    /// - Throws: ``CoreError`` `.notFound` or `.badData`, `ReplicationError` for unreadable files.
    public init(of path: String) throws { try self.init(of: path, models: DataModels.standard) }

    package init(of path: String, models: [any DataModel]) throws {
        if try Self.isFolder(path) {
            do {
                self = .package(try StorePackage(opening: path))
            } catch {
                guard error.code == .notAPackage, let store = models.singleStore(at: path) else {
                    throw error
                }
                self = .single(store)
            }
            return
        }
        let bytes = try Self.beginning(of: path)
        let isDatabase = bytes.starts(with: Self.databaseStart)
        let tables = try isDatabase ? TableFile(path).read { try $0.tableNames() }.0 : []
        let file = Self.resolved(path)
        if let store = models.singleStore(at: file, bytes: bytes, tables: tables) {
            self = .single(store)
        } else if isDatabase {
            self = .single(.database(at: file, tables: tables))
        } else if bytes.isEmpty {
            throw CoreError(.badData, "the file is empty")
        } else {
            let beginning = try WholeFile.beginning(of: path, count: 1024)
            let reason = TableFile.reasonForNoDatabase(
                beginning: beginning, byteCount: try FileStamp(ofFileAt: file).byteCount)
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
            if try StoreKind(of: path).isAutomergeFile {
                throw CoreError(.badData, "an Automerge file, not an SQLite database")
            }
            throw CoreError(.badData, "not an SQLite database")
        }
    }

    /// Returns whether a file starts like an SQLite database. The rest may be damaged.
    static func isDatabase(_ path: String) throws -> Bool {
        try beginning(of: path).starts(with: databaseStart)
    }

    private static func beginning(of path: String) throws -> [UInt8] {
        try WholeFile.beginning(of: path, count: 16)
    }

    private static let databaseStart = Array("SQLite format 3\0".utf8)
}

extension Database {
    /// Returns the names of all tables, in lower case.
    func tableNames() throws -> Set<String> {
        try Set(
            String.fetchAll(
                self, sql: "SELECT lower(name) FROM sqlite_master WHERE type = 'table'"))
    }
}
