import Foundation
import Replication
import Synchronization
import Tables

/// The tables of a database as a part of a session.
final class TablesPart: SessionPart {
    private let database: TableDatabase
    private let watching = Mutex<FileWatcher?>(nil)
    /// The stamp of the file at the last check. The journal of a write, even of a failed one, also
    /// triggers the watcher, so the stamp shows whether the file has changed.
    private let seen = Mutex<FileStamp?>(nil)
    private let phase = Mutex(SessionStatus.Phase.loading(stage: "reading tables", fraction: nil))
    private let tablesSource: TablesSource
    private let queries: QueriesSource
    private let history: HistorySource

    init(
        _ path: String, device: DeviceID?, isWritable: Bool, queries kept: SavedQueries?,
        model: CoreDataModelFile? = nil
    ) {
        database = TableDatabase(path, device: device, isWritable: isWritable, model: model)
        tablesSource = TablesSource(database)
        queries = QueriesSource(database, keptIn: kept)
        history = HistorySource(database)
    }

    var panes: [Pane] {
        [Pane(.tables, tablesSource), Pane(.queries, queries)]
            + (database.history == nil ? [] : [Pane(.tableHistory, history)])
    }

    var possiblePanes: [PaneID] { [.tables, .queries, .tableHistory] }

    var status: PartStatus {
        PartStatus(
            phase: phase.withLock { $0 }, ownDevice: database.device,
            counts: database.tables.map { [.tables: $0.tables.count] } ?? [:],
            problems: database.problem.map { [$0] } ?? [])
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        database.setEmit(emit)
        watching.withLock { watcher in
            watcher = FileWatcher(
                database.file.path, isDatabase: true, window: .milliseconds(20)
            ) { [weak self] in self?.look(isFirst: false) }
        }
        TableDatabase.queue.async { [weak self] in self?.look(isFirst: true) }
    }

    func reload() async {
        seen.withLock { $0 = nil }
        _ = try? await database.run { [self] _ in look(isFirst: false) }
    }

    func setWritable(_ isWritable: Bool) { database.isWritable = isWritable }

    func close() async {
        watching.withLock { $0 = nil }
        database.close()
    }

    /// Reads the schema if it may have changed, and reports which visible rows have changed.
    private func look(isFirst: Bool) {
        guard !database.isClosed else { return }
        do {
            let stamp = try? FileStamp(ofFileAt: database.file.path)
            let before = database.tables
            let tables = try database.currentTables()
            phase.withLock { $0 = .live }
            let isOther = before?.schema != tables.schema
            if isFirst || isOther {
                database.emit(.loaded, "read \(Counted.text(tables.tables.count, "table"))")
            }
            var marks: [RowID: RowMark] = [:]
            for list in database.openLists { marks.merge(try list.changes()) { $1 } }
            let isAsBefore = seen.withLock { seen in
                defer { seen = stamp }
                return stamp.map { seen?.hasSameContent(as: $0) ?? false } ?? false
            }
            if !isFirst, !isOther, !isAsBefore || !marks.isEmpty {
                database.emit(
                    .changed(.tables, rows: marks, isOwn: false),
                    marks.isEmpty ? "" : "\(Counted.text(marks.count, "row")) changed")
            }
        } catch {
            seen.withLock { $0 = nil }
            let failure = SessionFailure(error)
            database.setProblem(failure.reason)
            if database.tables == nil { phase.withLock { $0 = .failed(failure) } }
            database.emit(.status)
        }
    }
}

extension FileStamp {
    /// Returns whether nothing was committed between this stamp and a later one. Ignores the
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
