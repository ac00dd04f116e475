import Foundation
import GRDB
import Replication

/// Reads rows of one log, of either form, for those who look at the past.
struct LogReader {
    let device: DeviceID
    /// Rows behind this one wait for others that are missing.
    let lastID: Int64?
    /// Whether numbers count rows that are left out.
    let leavesOutRows: Bool
    let form: LogForm
    let database: Database
    private let writers: [Int64: DeviceID]
    /// The column of values, as far as they are read.
    let values: ValueColumn

    /// Reads a log. Longer values than ``KeyValueStore/ReadableLog/longest`` stay in it.
    ///
    /// - Parameter body: May be called a second time, after it threw.
    static func read<Result>(
        _ log: KeyValueStore.ReadableLog, _ body: (LogReader) throws -> Result
    ) throws -> Result? {
        let outcome = try ForeignDatabase.read(log.path) { database in
            let form = try LogForm.detect(database, path: log.path)
            return try ValueColumn.reading(form.value, in: database, upTo: log.longest) {
                try body(LogReader(database, log, form, $0))
            }
        }
        guard case .read(let result, _) = outcome else { return nil }
        return result
    }

    /// Reads rows with these numbers from a log that is being read.
    static func rows(
        _ ids: [Int64], in database: Database, of device: DeviceID, longest: Int
    ) throws -> [LogRow] {
        let log = KeyValueStore.ReadableLog(
            device: device, path: "the log", lastID: nil, leavesOutRows: false, longest: longest)
        let form = try LogForm.detect(database, path: log.path)
        return try ValueColumn.reading(form.value, in: database, upTo: longest) {
            try LogReader(database, log, form, $0).rows(ids: ids)
        }
    }

    private init(
        _ database: Database, _ log: KeyValueStore.ReadableLog, _ form: LogForm,
        _ values: ValueColumn
    ) throws {
        self.database = database
        self.form = form
        self.values = values
        device = log.device
        lastID = log.lastID
        leavesOutRows = log.leavesOutRows
        writers = form.format == .tideline2 ? try TidelineLog.writers(database) : [:]
    }

    /// A condition in SQL with the values that it binds.
    struct Condition {
        var sql: [String] = []
        var bindings: [Binding] = []

        enum Binding {
            case integer(Int64)
            case text([UInt8])
        }

        mutating func add(_ sql: String, _ bindings: Binding...) {
            self.sql.append(sql)
            self.bindings += bindings
        }
    }

    /// Calls `body` with the rows that fulfil a condition until it returns `false`.
    ///
    /// - Parameter tail: What follows the condition, such as an order.
    func forEach(
        _ condition: Condition, _ tail: String, _ body: (LogRow) throws -> Bool
    ) throws {
        var condition = condition
        if let lastID { condition.add("\(form.id) <= ?", .integer(lastID)) }
        addRecordable(to: &condition)
        let clause = "WHERE " + condition.sql.joined(separator: " AND ")
        let rows = try statement("\(clause) \(tail)")
        try Self.withBound(condition.bindings[...], 1, rows) {
            while try rows.step() {
                guard let row = row(rows) else { continue }
                guard try body(row) else { break }
            }
        }
    }

    /// A statement whose rows ``row(_:)`` reads.
    ///
    /// - Parameter withValues: Whether values are read; else every row seems to be a deletion.
    func statement(_ clauses: String, withValues: Bool = true) throws -> Stepper {
        let columns = columns(withValues ? values.sql : "NULL")
        return try Stepper(database, "SELECT \(columns) FROM \(form.table) \(clauses)")
    }

    private func columns(_ value: String) -> String {
        [form.id, form.timestamp, form.key, value, form.parentTimestamp, form.parents ?? "NULL"]
            .joined(separator: ", ")
    }

    func first(_ condition: Condition, _ tail: String) throws -> LogRow? {
        var found: LogRow?
        try forEach(condition, tail) {
            found = $0
            return false
        }
        return found
    }

    /// How many rows fulfil a condition.
    func count(_ condition: Condition) throws -> Int {
        var condition = condition
        addRecordable(to: &condition)
        let clause = "WHERE " + condition.sql.joined(separator: " AND ")
        let rows = try Stepper(database, "SELECT count(*) FROM \(form.table) \(clause)")
        return try Self.withBound(condition.bindings[...], 1, rows) {
            try rows.step() ? Int(rows.integer(0) ?? 0) : 0
        }
    }

    /// Binds texts where they stand, for as long as `body` runs.
    static func withBound<Result>(
        _ bindings: ArraySlice<Condition.Binding>, _ parameter: CInt, _ rows: Stepper,
        _ body: () throws -> Result
    ) throws -> Result {
        guard let binding = bindings.first else { return try body() }
        switch binding {
        case .integer(let number):
            rows.bind(parameter, number)
            return try withBound(bindings.dropFirst(), parameter + 1, rows, body)
        case .text(let bytes):
            return try bytes.withUnsafeBufferPointer { bytes in
                rows.bind(parameter, text: bytes)
                return try withBound(bindings.dropFirst(), parameter + 1, rows, body)
            }
        }
    }

    /// Leaves out rows at times that no row can have, so that a limit counts none of them. The
    /// condition must not lead SQLite away from a better way.
    private func addRecordable(to condition: inout Condition) {
        condition.add(
            "+\(form.timestamp) BETWEEN ? AND ?",
            .integer(Timestamp.earliest.microseconds), .integer(Timestamp.latest.microseconds))
    }

    /// The row that the statement stands on; `nil` for one that does not count.
    func row(_ rows: Stepper) -> LogRow? {
        guard let id = rows.integer(0), let timestamp = rows.timestamp(1), let key = rows.text(2)
        else { return nil }
        let value = values.content(rows, 3)
        if form.format == .parstore1, !ParstoreLog.countsAsValue(value) { return nil }
        let named = rows.blob(5).map(references)
        return LogRow(
            device: device, id: id, timestamp: Timestamp(microseconds: timestamp),
            key: String(decoding: key, as: UTF8.self), content: value,
            parentTimestamp: rows.timestamp(4).map(Timestamp.init(microseconds:)),
            parents: named?.parents, takesBack: named?.takenBack ?? [])
    }

    /// The rows that a list names, and those that it takes back; those are left out that no row can
    /// be.
    func references(
        _ list: UnsafeBufferPointer<UInt8>
    ) -> (parents: [LogRow.Reference], takenBack: [LogRow.Reference]) {
        var (parents, takenBack): ([LogRow.Reference], [LogRow.Reference]) = ([], [])
        var leavesOut = false
        func reference(_ cause: CauseList.Cause) -> LogRow.Reference? {
            writers[cause.writer].map {
                LogRow.Reference(
                    device: $0, timestamp: Timestamp(microseconds: cause.timestamp))
            }
        }
        _ = CauseList.forEach(list, leavesOut: &leavesOut) { cause in
            if let row = reference(cause) { parents.append(row) }
        } takenBack: { cause in
            // Nobody takes back what another device wrote.
            if let row = reference(cause), row.device.writer == device.writer {
                takenBack.append(row)
            }
        }
        return (parents, takenBack)
    }

    /// What a filter asks of the rows of one log.
    func condition(_ filter: KeyValueStore.RowFilter) -> Condition {
        var condition = Condition()
        if let key = filter.key { condition.add("\(form.key) = ?", .text(Array(key.utf8))) }
        if let prefix = filter.prefix, !prefix.isEmpty {
            addPrefix(prefix, to: &condition)
        }
        if let from = filter.from {
            condition.add("\(form.timestamp) >= ?", .integer(from.microseconds))
        }
        if let through = filter.through {
            condition.add("\(form.timestamp) <= ?", .integer(through.microseconds))
        }
        return condition
    }

    /// Keys that begin with `prefix` stand together in the order of keys.
    func addPrefix(_ prefix: String, to condition: inout Condition) {
        let bytes = Array(prefix.utf8)
        condition.add("\(form.key) >= ?", .text(bytes))
        // FF is in no UTF-8 text, so this comes after all that begin so.
        condition.add("\(form.key) < ?", .text(bytes + [0xFF]))
    }

    /// For each key the row that it got at a timestamp; of several the last one.
    func rows(named names: some Sequence<(String, Timestamp)>) throws -> [LogRow?] {
        let rows = try statement(
            """
            WHERE \(form.key) = ? AND \(form.timestamp) = ? AND \(form.id) <= ?
            ORDER BY \(form.id) DESC
            """)
        return try names.map { key, timestamp in
            var key = key
            return try key.withUTF8 { key in
                rows.bind(1, text: key)
                rows.bind(2, timestamp.microseconds)
                rows.bind(3, lastID ?? .max)
                defer { rows.reset() }
                while try rows.step() {
                    if let row = row(rows) { return row }
                }
                return nil
            }
        }
    }

    /// The newest row of a key with a timestamp up to `timestamp`.
    func newestRow(_ key: String, through timestamp: Timestamp) throws -> LogRow? {
        let filter = KeyValueStore.RowFilter(key: key, through: min(timestamp, .latest))
        return try first(
            condition(filter), "ORDER BY \(form.timestamp) DESC, \(form.id) DESC")
    }
}
