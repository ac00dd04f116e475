import Automerge
public import Foundation
import GRDB
import Replication
import Tables

/// The merge of two versions of a file of a store, such as the versions on two branches.
///
/// Automerge files are merged by their changes. Two versions of a device's log are merged by their
/// rows if the data model allows it. Rows of keys can be combined, because they refer to other rows
/// by time. Rows of documents can be combined, because they don't refer to other devices' rows.
/// Rows of entities can't be combined, because they refer to other devices' rows by number. A
/// version of such a log is used if it contains all rows of the other version. Otherwise, the
/// versions are in conflict.
///
/// Merging never removes writes. If the other version only lacks writes of the common ancestor, as
/// after reverting a commit, the versions are in conflict.
public struct FileMerge: Sendable {
    /// The result of a merge.
    public enum Outcome: Sendable {
        /// The new content of the file, and a description.
        case merged(Data, String)
        /// The reason why the versions can't be merged.
        case conflict(String)
    }

    private let base: String
    private let ours: String
    private let theirs: String
    /// The device in whose folder the file is.
    private let device: DeviceID?
    /// The data models whose databases are merged.
    package var models: [any DataModel] = DataModels.standard

    /// Creates a merge.
    ///
    /// - Parameters:
    ///   - base: The path of the common ancestor. Empty or missing if there is none.
    ///   - ours: The path of the version to merge into. It isn't changed.
    ///   - theirs: The path of the other version.
    ///   - path: The path of the file in its store.
    public init(base: String, ours: String, theirs: String, path: String) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        device = try? DeviceID(
            URL(fileURLWithPath: path).deletingLastPathComponent().lastPathComponent)
    }

    /// Merges the versions.
    ///
    /// - Throws: Errors from reading a version, which may be damaged.
    public func outcome() throws -> Outcome {
        switch try [ours, theirs].count(where: { try StoreKind(of: $0).isAutomergeFile }) {
        case 2: return try mergedDocument()
        case 1: return .conflict("one version is an Automerge file, and the other is not")
        default: break
        }
        guard let ours = try DetachedDatabase(ours, device: device, models: models),
            let theirs = try DetachedDatabase(theirs, device: device, models: models),
            let model = models[ours.kind]
        else { return Self.bothChanged }
        guard ours.kind == theirs.kind, ours.device == theirs.device else {
            return .conflict("the versions belong to different devices")
        }
        for (version, name) in [(ours, "current"), (theirs, "other")] {
            guard try model.isComplete(version.path) else {
                return .conflict("rows of the \(name) version are missing or can't be read")
            }
        }
        if let combined = try model.combined(ours, theirs) {
            guard combined.addedCount == 0 else {
                let rows = Counted.text(combined.addedCount, "row")
                return .merged(combined.content, "\(rows) of the other version")
            }
            if try lacksRowsOfBase(in: model.table) { return .conflict(Self.removal) }
            return .merged(combined.content, Self.complete)
        }
        guard let table = model.table else { return Self.bothChanged }
        return try longer(ours, theirs, of: table)
    }

    private static let bothChanged = Outcome.conflict("both versions of the database have changed")

    private func mergedDocument() throws -> Outcome {
        let files = [try AutomergeFile(ours), try AutomergeFile(theirs)]
        let merged = try AutomergeFile.merged(files)
        let document = try Document(merged)
        if try lacksChangesOfBase(files[1].document(), of: files[0].document(), document) {
            return .conflict(Self.removal)
        }
        var count = 0
        let unlisted = try DocumentView(document).forEachConflict { _ in count += 1 }
        count += unlisted
        return .merged(
            merged,
            count == 0
                ? "the changes of both versions"
                : "the changes of both versions, with \(Counted.text(count, "place")) in conflict")
    }

    private static let complete = "the current version has all rows of the other version"
    private static let removal =
        "the other version lacks writes of the common ancestor, and merging doesn't remove writes; "
        + "restore the old values instead"

    /// Returns whether the other version only removes changes of the common ancestor from ours.
    private func lacksChangesOfBase(
        _ theirs: Document, of ours: Document, _ merged: Document
    ) -> Bool {
        guard merged.heads() == ours.heads(),
            let base = try? AutomergeFile(base).document()
        else { return false }
        return base.heads().contains {
            theirs.change(hash: $0) == nil && ours.change(hash: $0) != nil
        }
    }

    /// Returns whether the other version has fewer rows than the common ancestor, and ours hasn't.
    private func lacksRowsOfBase(in table: LogTable?) throws -> Bool {
        // The file is empty if the versions have no common ancestor.
        guard let count = try? Self.rowCount(base, table) else { return false }
        return try Self.rowCount(theirs, table) < count && Self.rowCount(ours, table) >= count
    }

    private static func rowCount(_ path: String, _ table: LogTable?) throws -> Int {
        try TableFile(path).read { db in
            // The table of keys has a different name in each format.
            let name = try table?.name ?? (db.tableNames().contains("log") ? "log" : "zlog")
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)") ?? 0
        }.0
    }

    /// Returns the version that contains all rows of the other version.
    private func longer(
        _ ours: DetachedDatabase, _ theirs: DetachedDatabase, of table: LogTable
    ) throws -> Outcome {
        var changes: Set<String> = []
        try TableComparison(
            from: TableFile(ours.path), to: TableFile(theirs.path), prefix: table.name
        ).forEach { difference in
            changes.insert(difference.change.rawValue)
        } warn: { _, problem in
            changes.insert(problem)
        }
        switch changes {
        case [], [StoreDifference.Change.removed.rawValue]:
            if try lacksRowsOfBase(in: table) { return .conflict(Self.removal) }
            return .merged(
                try Data(contentsOf: URL(filePath: ours.path)), Self.complete)
        case [StoreDifference.Change.added.rawValue]:
            return .merged(
                try Data(contentsOf: URL(filePath: theirs.path)),
                "the other version has all rows of the current version")
        default:
            return .conflict(
                "the device wrote rows in both versions, and other devices may refer to these rows "
                    + "by their numbers")
        }
    }
}
