import Foundation
import GRDB
import Replication
import Synchronization
import Tables

/// An open database of tables: the state shared by its lists.
final class TableDatabase: Sendable {
    let file: TableFile
    /// There is no writing device if the file must not be written, such as a device's file in a
    /// package.
    let writing: WriteAccess
    var device: DeviceID? { writing.device }
    let counts = TableCounts()
    /// The model to use instead of a Core Data store's own model.
    private let model: CoreDataModelFile?
    private let state = Mutex(State())

    private struct State {
        var tables: DatabaseTables?
        var history: CoreDataHistory?
        var historyCount = 0
        var stamp: FileStamp?
        /// The guessed and the chosen epochs, by table and column.
        var epochs: [String: Epoch] = [:]
        var chosen: [String: Epoch?] = [:]
        var emit: (@Sendable (SessionEvent) -> Void)?
        /// The open lists, which are checked when the file changes.
        var lists: [WeakRows] = []
        var isClosed = false
    }

    private struct WeakRows {
        weak var rows: TableRowsSource?
    }

    /// A queue for long work, separate from the threads that tasks share.
    static let queue = DispatchQueue(
        label: "tideline.tables", qos: .userInitiated, attributes: .concurrent)
    static let background = DispatchQueue(label: "tideline.tables.counting", qos: .utility)

    init(
        _ path: String, device: DeviceID?, isWritable: Bool, model: CoreDataModelFile? = nil
    ) {
        file = TableFile(path)
        self.model = model
        writing = WriteAccess(as: file.isInPackage ? nil : device, isUnlocked: isWritable)
    }

    /// Runs `body` on the queue. Canceling the caller's task cancels `body`.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let flag = Flag()
        return try await withTaskCancellationHandler {
            try await Self.queue.run { try body { flag.isSet } }
        } onCancel: {
            flag.set()
        }
    }

    /// Reads one state of the file on the queue, like `TableFile.read`. Canceling the caller's task
    /// cancels `body`.
    func read<Value: Sendable>(
        instructionsPerByte: Int = 50, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> (Value, FileStamp) {
        try await run { [file] isCancelled in
            try file.read(instructionsPerByte: instructionsPerByte, isCancelled: isCancelled, body)
        }
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    // MARK: Known state

    var tables: DatabaseTables? { state.withLock { $0.tables } }
    /// The persistent history of a Core Data store; `nil` if the database has none.
    var history: CoreDataHistory? { state.withLock { $0.history } }
    /// The number of changes in the history, up to one more than ``CoreDataHistorySource`` lists.
    var historyCount: Int { state.withLock { $0.historyCount } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// The state of the file from which the tables were read.
    var stamp: FileStamp? { state.withLock { $0.stamp } }

    func setEmit(_ emit: @escaping @Sendable (SessionEvent) -> Void) {
        state.withLock { $0.emit = emit }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.emit = nil
        }
    }

    func emit(_ kind: SessionEvent.Kind, _ summary: String = "") {
        state.withLock { $0.emit }?(SessionEvent(kind, date: Date(), summary: summary))
    }

    /// Returns the current tables of the file.
    ///
    /// - Throws: Errors from reading.
    func currentTables() throws -> DatabaseTables {
        let known = state.withLock { $0.stamp }
        let outcome = try file.read(unless: known) { db in
            let tables = try readTables(db)
            let history = CoreDataHistory(tables.schema)
            let count = try history?.count(db, limit: CoreDataHistorySource.limit + 1) ?? 0
            return (tables, history, count)
        }
        guard case .read((let tables, let history, let historyCount), let stamp) = outcome else {
            return try tables ?? file.read(readTables).0
        }
        state.withLock { state in
            state.tables = tables
            state.history = history
            state.historyCount = historyCount
            state.stamp = stamp
        }
        return tables
    }

    private func readTables(_ db: Database) throws -> DatabaseTables {
        try DatabaseTables(db, model: model, storeAt: file.path)
    }

    /// Returns the epoch of a column's numbers, as chosen by the user or guessed.
    func epoch(of column: NamedTable.Column, in table: NamedTable) -> Epoch? {
        if column.isCoreDataDate { return .seconds2001 }
        let key = "\(table.name)/\(column.name)"
        return state.withLock { $0.chosen[key] ?? $0.epochs[key] }
    }

    /// Sets the epoch of a column's numbers; `nil` if they aren't dates.
    func choose(_ epoch: Epoch?, of column: String, in table: NamedTable) {
        state.withLock { $0.chosen["\(table.name)/\(column)"] = .some(epoch) }
    }

    /// Returns whether the user has chosen the epoch of a column's numbers.
    func isChosen(_ column: String, in table: NamedTable) -> Bool {
        state.withLock { $0.chosen["\(table.name)/\(column)"] != nil }
    }

    func chosenColumns(of table: NamedTable) -> Set<String> {
        Set(table.columns.map(\.name).filter { isChosen($0, in: table) })
    }

    func setEpoch(_ epoch: Epoch?, of column: String, in table: NamedTable) {
        state.withLock { $0.epochs["\(table.name)/\(column)"] = epoch }
    }

    func epochs(of table: NamedTable) -> [String: Epoch] {
        var epochs: [String: Epoch] = [:]
        for column in table.columns { epochs[column.name] = epoch(of: column, in: table) }
        return epochs
    }

    // MARK: Open lists

    func register(_ rows: TableRowsSource) {
        state.withLock { state in
            state.lists.removeAll { $0.rows == nil }
            state.lists.append(WeakRows(rows: rows))
        }
    }

    var openLists: [TableRowsSource] { state.withLock { $0.lists }.compactMap(\.rows) }

    /// Returns whether rows can be written or, if not, the reason.
    func availability(of table: NamedTable? = nil) -> Availability {
        if file.isInPackage {
            return .unavailable(
                because: "this file is part of a store package: open the package to edit it")
        }
        if let table {
            do {
                try TableWriter.requireWritable(table.schema)
            } catch {
                return .unavailable(because: error.message)
            }
        }
        return writing.isUnlocked ? .available : .unavailable(because: Availability.locked)
    }
}
