import Replication
import Synchronization
import Tables

/// The tables of a database as a part of a session.
final class TablesPart: FilePart {
    let lifecycle = StoreLifecycle<TableDatabase>(stage: "reading tables", subject: "file")
    private let database: TableDatabase
    /// The stamp of the file at the last check. The journal of a write, even of a failed write,
    /// also triggers the watcher, so the stamp shows whether the file has changed.
    private let seen = Mutex<FileStamp?>(nil)
    let possiblePanes: [Pane]

    init(
        _ path: String, device: DeviceID?, isWritable: Bool, queries kept: SavedQueries?,
        model: CoreDataModelFile? = nil
    ) {
        database = TableDatabase(path, device: device, isWritable: isWritable, model: model)
        possiblePanes = [
            Pane(.tables, TablesSource(database)),
            Pane(.queries, QueriesSource(database, keptIn: kept)),
            Pane(.tableHistory, CoreDataHistorySource(database)),
        ]
    }

    /// The tables and queries, and the history if the store has one.
    var panes: [Pane] {
        possiblePanes.filter { $0.id != .tableHistory || database.history != nil }
    }

    var status: PartStatus {
        PartStatus(
            phase: lifecycle.phase, ownDevice: database.device,
            counts: database.tables.map { [.tables: $0.tables.count] } ?? [:],
            problems: lifecycle.failure.map { [$0.reason] } ?? [])
    }

    func open() -> TableDatabase {
        database.setEmit { [weak lifecycle] in lifecycle?.emit($0) }
        return database
    }

    func watcher(_ noteChange: @escaping @Sendable () -> Void) -> (any Sendable)? {
        FileWatcher(
            database.file.path, isDatabase: true, window: .milliseconds(20), handler: noteChange)
    }

    /// Reads the schema if it may have changed, and reports which visible rows have changed.
    func look(at database: TableDatabase) throws {
        guard !database.isClosed else { return }
        let stamp = try? FileStamp(ofFileAt: database.file.path)
        let (before, wasUnreadable) = (database.tables, lifecycle.failure != nil)
        let tables = try database.currentTables()
        lifecycle.noteRead()
        var isOther = before?.schema != tables.schema
        for list in database.openLists where list.adopt(tables) { isOther = true }
        if isOther {
            database.emit(.loaded, "read \(Counted.text(tables.tables.count, "table"))")
        }
        var marks: [RowID: RowMark] = [:]
        for list in database.openLists { marks.merge(try list.changes()) { $1 } }
        let isAsBefore = seen.withLock { seen in
            defer { seen = stamp }
            return stamp.map { seen?.hasSameContent(as: $0) ?? false } ?? false
        }
        if !isOther, wasUnreadable || !isAsBefore || !marks.isEmpty {
            database.emit(
                .changed(.tables, rows: marks, isOwn: false),
                marks.isEmpty ? "" : "\(Counted.text(marks.count, "row")) changed")
        }
    }

    /// Reads the file, and reports it as changed.
    func sync(_ database: TableDatabase) async throws {
        seen.withLock { $0 = nil }
        try await check(database)
    }

    func setWritable(_ isWritable: Bool) { database.writing.isUnlocked = isWritable }

    func close() async {
        lifecycle.cancel()
        database.close()
    }
}

extension FileStamp {
    /// Returns whether nothing was committed between this stamp and a later stamp. Ignores the
    /// content of a rollback journal.
    fileprivate func hasSameContent(as later: FileStamp) -> Bool {
        !isFresh && inode == later.inode && byteCount == later.byteCount
            && modified == later.modified && changeCounter == later.changeCounter
            && writeAheadLog == later.writeAheadLog
    }
}

extension PaneID {
    /// The tables of a database.
    public static let tables = PaneID("tables")
    /// The user's saved queries of the database.
    static let queries = PaneID("queries", of: "tables")
    /// The transactions of a Core Data store.
    static let tableHistory = PaneID("history", of: "tables")
}
