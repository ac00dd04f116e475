import Foundation
import Replication
import Synchronization
import Tables

/// An open database of tables: what its lists share.
final class TableDatabase: Sendable {
    let file: TableFile
    /// Who writes; `nil` where nobody may from here, a device's file in a package.
    let device: DeviceID?
    let counts = TableCounts()
    private let state: Mutex<State>

    private struct State {
        var tables: DatabaseTables?
        var hasHistory = false
        var stamp: FileStamp?
        var isWritable: Bool
        var problem: String?
        /// What was guessed, and what a person chose: by table and column.
        var epochs: [String: Epoch] = [:]
        var chosen: [String: Epoch?] = [:]
        var emit: (@Sendable (SessionEvent) -> Void)?
        /// Lists that are open, which are looked at when the file changes.
        var lists: [WeakRows] = []
        var isClosed = false
    }

    private struct WeakRows {
        weak var rows: TableRowsSource?
    }

    /// Work that may take long, away from the threads that tasks share.
    static let queue = DispatchQueue(
        label: "tideline.tables", qos: .userInitiated, attributes: .concurrent)
    static let background = DispatchQueue(label: "tideline.tables.counting", qos: .utility)

    init(_ path: String, device: DeviceID?, isWritable: Bool) {
        file = TableFile(path)
        self.device = file.isInPackage ? nil : device
        state = Mutex(State(isWritable: isWritable))
    }

    /// What `body` makes of the database, on a queue of its own; it ends early where nobody waits.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let flag = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Self.queue.async {
                    continuation.resume(with: Result { try body { flag.isSet } })
                }
            }
        } onCancel: {
            flag.set()
        }
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    // MARK: What is known

    var tables: DatabaseTables? { state.withLock { $0.tables } }
    var hasHistory: Bool { state.withLock { $0.hasHistory } }
    var problem: String? { state.withLock { $0.problem } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// The state of the file that the tables were read in.
    var stamp: FileStamp? { state.withLock { $0.stamp } }

    var isWritable: Bool {
        get { state.withLock { $0.isWritable } }
        set { state.withLock { $0.isWritable = newValue } }
    }

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

    /// The tables as they are in the file now.
    ///
    /// - Throws: What reading meets.
    func currentTables() throws -> DatabaseTables {
        let known = state.withLock { $0.stamp }
        let outcome = try file.read(unless: known) { db in
            let tables = try DatabaseTables(db)
            return (tables, try CoreDataHistory(db, tables.schema) != nil)
        }
        guard case .read((let tables, let hasHistory), let stamp) = outcome else {
            return try tables ?? file.read { try DatabaseTables($0) }.0
        }
        state.withLock { state in
            state.tables = tables
            state.hasHistory = hasHistory
            state.stamp = stamp
            state.problem = nil
        }
        return tables
    }

    func setProblem(_ problem: String?) { state.withLock { $0.problem = problem } }

    /// What the numbers of a column count, as a person chose or as it was guessed.
    func epoch(of column: NamedTable.Column, in table: NamedTable) -> Epoch? {
        if column.isCoreDataDate { return .seconds2001 }
        let key = "\(table.name)/\(column.name)"
        return state.withLock { $0.chosen[key] ?? $0.epochs[key] }
    }

    /// Notes what a person says that the numbers of a column count; `nil`: nothing.
    func choose(_ epoch: Epoch?, of column: String, in table: NamedTable) {
        state.withLock { $0.chosen["\(table.name)/\(column)"] = .some(epoch) }
    }

    /// Whether a person said what the numbers of a column count, or do not.
    func isChosen(_ column: String, in table: NamedTable) -> Bool {
        state.withLock { $0.chosen["\(table.name)/\(column)"] != nil }
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

    /// Whether rows can be written, and if not, why.
    func availability(of table: NamedTable? = nil) -> Availability {
        if file.isInPackage {
            return .unavailable(because: "only its own store writes a device's file")
        }
        if let table {
            do {
                try TableWriter.requireWritable(table.schema)
            } catch {
                return .unavailable(because: error.message)
            }
        }
        return isWritable ? .available : .unavailable(because: "read-only: press w")
    }
}
