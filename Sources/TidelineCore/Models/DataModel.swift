import Foundation
package import GRDB
package import Replication

/// A data model of store packages: the kind of database that contains its data, and the operations
/// on such a database.
///
/// ``StoreOpener``, ``StoreInfo``, ``Doctor``, ``StoreComparison`` and ``FileMerge`` take a list of
/// data models. To add a data model, implement this protocol and add it to
/// ``DataModels/standard``.
package protocol DataModel: Sendable {
    /// The kind of database, which the data model's library declares.
    var kind: DatabaseKind { get }
    /// The table of the rows if the database is a log of consecutive rows; otherwise `nil`.
    var table: LogTable? { get }

    // MARK: Stores

    /// Returns the store at `path` if it is a store of this data model outside packages; otherwise
    /// `nil`.
    ///
    /// - Parameters:
    ///   - bytes: The first bytes of a file; empty for a folder.
    ///   - tables: The names of the tables of a database, in lower case.
    func singleStore(at path: String, bytes: [UInt8], tables: Set<String>) -> SingleStore?

    /// Returns the parts of a session for the data of a package. They read nothing before they are
    /// started.
    func parts(of package: StorePackage, in session: PackageSession) -> [any SessionPart]

    /// The name of the store in events about writes, if no part follows its rows; otherwise `nil`.
    var unfollowedName: String? { get }

    /// The commands of the data model's panes. Their names are unique among all actions.
    var commands: [ListCommand] { get }

    // MARK: Counting

    /// Reads the counts, devices and problems of a package that contains a database of this model.
    ///
    /// - Throws: Errors from reading. Problems of a device's file belong to its report.
    func info(of package: StorePackage) throws -> StoreInfo.Section

    // MARK: Copies

    /// Returns the suggestion for handling the file at `path`: another version of a device's
    /// database that a sync service kept.
    func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion

    /// Returns the suggestion for the data that `package` lacks and the database at `path` has.
    /// The database belongs to another copy of the store. Returns `nil` if merging the stores
    /// copies the data.
    func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion?

    // MARK: Comparing and combining

    /// Opens the data of two stores, or of two states of one store, and returns its comparisons.
    ///
    /// - Throws: Errors from opening.
    func comparisons(of stores: ComparedStores) async throws -> [any Comparison]

    /// The names of the tables that identify a database outside of its package, one set per format
    /// of the database.
    var tables: [Set<String>] { get }

    /// Combines the rows of two versions of a device's database, such as the versions on two
    /// branches. Returns `nil` if rows can't be combined. Then a version is used only if it has all
    /// rows of the other version.
    ///
    /// - Throws: Errors from reading the versions.
    func combined(
        _ ours: DetachedDatabase, _ theirs: DetachedDatabase
    ) throws -> DetachedDatabase.Combined?

    // MARK: Checking and repairing

    /// Examines every row of a log. Returns `nil` if the database is not a log.
    func examination(of db: Database) throws -> LogExamination?

    /// Checks the content of a database whose structure is intact.
    ///
    /// - Throws: An error if the database has the wrong format.
    func examine(
        _ file: Doctor.DeviceDatabase, by doctor: Doctor, _ findings: inout DoctorFindings
    ) throws

    /// Checks the data of all devices together. Called if a device has a database of this model.
    func examine(_ package: StorePackage, by doctor: Doctor, _ findings: inout DoctorFindings)

    /// Returns the type that finds the readable rows of a damaged database; `nil` if they can't be
    /// recovered.
    func salvage(ofFileAt path: String) -> (any Salvage.Type)?

    /// Whether a rebuilt database keeps the numbers of its rows if all of them are readable.
    var keepsRowNumbers: Bool { get }

    /// Returns whether the rebuilt database at `path` contains all rows that it should.
    ///
    /// - Throws: An error if the database has the wrong format.
    func isComplete(_ path: String) throws -> Bool
}

/// The state shared by the parts of a session for a package.
package struct PackageSession: Sendable {
    /// The writing device; `nil` if the session is read-only.
    package let device: DeviceID?
    /// Whether writing is unlocked from the start.
    package let isWritable: Bool
    let arrivals = ArrivalTimes()
    let blobs: BlobList
}

extension DataModel {
    package var unfollowedName: String? { nil }
    package var commands: [ListCommand] { [] }
    package var keepsRowNumbers: Bool { true }

    package func singleStore(
        at path: String, bytes: [UInt8], tables: Set<String>
    ) -> SingleStore? { nil }

    package func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        Suggestion("delete it", .deleteFile, paths: [path])
    }

    package var tables: [Set<String>] { [] }

    package func combined(
        _ ours: DetachedDatabase, _ theirs: DetachedDatabase
    ) throws -> DetachedDatabase.Combined? { nil }

    package func examination(of db: Database) throws -> LogExamination? {
        guard let table else { return nil }
        guard let identity = try LogIdentity.fetch(from: db) else {
            throw ReplicationError(.unreadable, "it has no identity")
        }
        return try LogExamination(db, identity, table: table)
    }

    package func examine(
        _ file: Doctor.DeviceDatabase, by doctor: Doctor, _ findings: inout DoctorFindings
    ) throws {
        try doctor.examineLog(file, &findings)
    }

    package func examine(
        _ package: StorePackage, by doctor: Doctor, _ findings: inout DoctorFindings
    ) {}

    package func salvage(ofFileAt path: String) -> (any Salvage.Type)? { nil }

    package func isComplete(_ path: String) throws -> Bool {
        guard let log = try ForeignDatabase.value(from: path, examination) else { return true }
        return log.gap == nil && log.invalidCount == 0
    }

    /// Returns whether a device's database contains everything that a copy of it contains.
    fileprivate func isHeld(_ copy: String, in database: String) -> Bool {
        FileManager.default.contentsEqual(atPath: copy, andPath: database)
            || table?.isHeld(copy, in: database) == true
    }
}

/// The data models that a program knows.
package enum DataModels {
    /// All data models of this package, in the order of their panes.
    package static let standard: [any DataModel] = [
        KeyValueModel(), EntityModel(), DocumentModel(), CatalogModel(),
    ]
}

extension [any DataModel] {
    /// Returns the data model of this kind of database, if it is known.
    subscript(kind: DatabaseKind) -> (any DataModel)? { first { $0.kind == kind } }

    /// Returns the data model of a database with these tables outside of its package.
    subscript(tables tables: Set<String>) -> (any DataModel)? {
        first { $0.tables.contains { tables.isSuperset(of: $0) } }
    }

    /// Returns the store that a data model recognizes at `path`. Without `bytes` and `tables`, the
    /// path is a folder.
    func singleStore(
        at path: String, bytes: [UInt8] = [], tables: Set<String> = []
    ) -> SingleStore? {
        lazy.compactMap { $0.singleStore(at: path, bytes: bytes, tables: tables) }.first
    }

    /// Returns the databases in `other` that contain data that `package` lacks. `other` is another
    /// copy of the store. The databases are in the order of devices, each with a suggestion.
    ///
    /// Databases that can't be read are included. A database is left out if a merge would copy its
    /// rows.
    ///
    /// - Throws: `ReplicationError` if a store can't be listed.
    package func databasesWithMore(
        in other: StorePackage, than package: StorePackage
    ) throws -> [(path: String, suggestion: Suggestion)] {
        try other.devices().flatMap { theirs in
            let ours = try package.device(theirs.id)
            return compactMap { model -> (path: String, suggestion: Suggestion)? in
                let path = theirs.path(of: model.kind)
                guard theirs.has(model.kind),
                    let suggestion = model.suggestion(forRestAt: path, in: package)
                else { return nil }
                let known = ours.path(of: model.kind)
                if ours.has(model.kind), model.isHeld(path, in: known) { return nil }
                let isMissing =
                    !ours.has(model.kind) && (try? ours.checkIsDownloaded(model.kind)) != nil
                // The other store's copy of a device's folder is a copy in this store, too.
                guard isMissing, theirs.copy == nil else { return (path, suggestion) }
                return (path, Suggestion.copyFile(path, to: known))
            }
        }
    }
}

extension Suggestion {
    /// Returns the suggestion for a device's database that a package lacks. Unlike an import, a copy
    /// keeps the history, and takes over deletions.
    fileprivate static func copyFile(_ path: String, to target: String) -> Self {
        let folder = URL(filePath: target).deletingLastPathComponent().path
        // An unfinished transaction is rolled back with the journal.
        let copies = ["-journal", "-wal", ""].filter { suffix in
            let stamp = try? FileStamp(ofFileAt: path + suffix)
            return suffix.isEmpty || stamp.map { $0.byteCount > 0 } ?? false
        }.map { ShellCommand.line("cp", "-n", path + $0, target + $0) }
        let commands = [ShellCommand.line("mkdir", "-p", folder)] + copies
        return Suggestion("copy it: " + commands.joined(separator: " && "))
    }
}
