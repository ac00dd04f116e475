import GRDB
import Replication

/// A reader of the rows of one log, in either format, for history queries.
struct LogReader {
    let device: DeviceID
    /// The last row in use. Later rows aren't used until the missing rows before them arrive.
    let lastID: Int64?
    /// Whether some rows of the log are left out, so that ids don't give the number of rows.
    let leavesOutRows: Bool
    let form: LogForm
    let database: Database
    let writers: [Int64: DeviceID]
    /// The column of values, with the limit on the length to load.
    let values: ValueColumn

    /// Reads a log. Values longer than ``KeyValueStore/ReadableLog/longest`` stay in it.
    ///
    /// - Parameter body: May be called a second time if it throws.
    static func read<Result>(
        _ log: KeyValueStore.ReadableLog, _ body: (LogReader) throws -> Result
    ) throws -> Result {
        try ForeignDatabase.value(from: log.path) { database in
            let form = try LogForm.detect(database, path: log.path)
            return try ValueColumn.reading(form.value, in: database, upTo: log.longest) {
                try body(LogReader(database, log, form, $0))
            }
        }
    }

    /// Reads rows with these ids from an open log.
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

    /// An SQL condition with its bound values.
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

    /// Calls `body` with the rows that match a condition until `body` returns `false`.
    ///
    /// - Parameter tail: SQL after the condition, such as an order.
    func forEach(
        _ condition: Condition, _ tail: String, _ body: (LogRow) throws -> Bool
    ) throws {
        var condition = condition
        if let lastID { condition.add("\(form.id) <= ?", .integer(lastID)) }
        let rows = try statement(columns(values.sql), condition, tail)
        while try rows.step() {
            guard let row = row(rows) else { continue }
            guard try body(row) else { return }
        }
    }

    /// Prepares a statement for ``row(_:)``.
    ///
    /// - Parameter withValues: Whether to read values. Otherwise, every row looks like a deletion.
    func statement(_ clauses: String, withValues: Bool = true) throws -> Stepper {
        let columns = columns(withValues ? values.sql : "NULL")
        return try Stepper(database, "SELECT \(columns) FROM \(form.table) \(clauses)")
    }

    private func columns(_ value: String) -> String {
        [form.id, form.timestamp, form.key, value, form.parentTimestamp, form.parents ?? "NULL"]
            .joined(separator: ", ")
    }

    func rows(_ condition: Condition) throws -> [LogRow] {
        var found: [LogRow] = []
        try forEach(condition, "") {
            found.append($0)
            return true
        }
        return found
    }

    func first(_ condition: Condition, _ tail: String) throws -> LogRow? {
        var found: LogRow?
        try forEach(condition, tail) {
            found = $0
            return false
        }
        return found
    }

    /// Returns the number of rows that match a condition.
    func count(_ condition: Condition) throws -> Int {
        let rows = try statement("count(*)", condition, "")
        return try rows.step() ? Int(rows.integer(0) ?? 0) : 0
    }

    /// Prepares a statement for the rows that match a condition. Excludes rows with invalid times,
    /// so that a limit doesn't count them.
    private func statement(
        _ columns: String, _ condition: Condition, _ tail: String
    ) throws -> Stepper {
        var condition = condition
        // This condition must not change SQLite's choice of index.
        condition.add(
            "+\(form.timestamp) BETWEEN ? AND ?",
            .integer(Timestamp.earliest.microseconds), .integer(Timestamp.latest.microseconds))
        let rows = try Stepper(
            database,
            "SELECT \(columns) FROM \(form.table) "
                + "WHERE \(condition.sql.joined(separator: " AND ")) \(tail)")
        for (place, binding) in condition.bindings.enumerated() {
            let parameter = CInt(place) + 1
            switch binding {
            case .integer(let number): rows.bind(parameter, number)
            case .text(let bytes): rows.bind(parameter, copying: bytes)
            }
        }
        return rows
    }

    /// Returns the current row of the statement, or `nil` if it is invalid.
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
            parents: named?.parents, reverts: named?.reverted ?? [])
    }

    /// Returns the parents and the reverted rows in a list. Invalid references are left out.
    func references(
        _ list: UnsafeBufferPointer<UInt8>
    ) -> (parents: [LogRow.Reference], reverted: [LogRow.Reference]) {
        var found = CauseList.references(list, writers)
        // A device can only revert its own rows.
        found.reverted.removeAll { $0.device.writer != device.writer }
        return found
    }

    /// Returns the condition for a filter on the rows of one log.
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

    /// Adds the condition that a key starts with `prefix`, as a range of keys.
    func addPrefix(_ prefix: String, to condition: inout Condition) {
        let bytes = Array(prefix.utf8)
        condition.add("\(form.key) >= ?", .text(bytes))
        // UTF-8 text never contains FF, so this bound is greater than all keys with the prefix.
        condition.add("\(form.key) < ?", .text(bytes + [0xFF]))
    }

    /// Returns, for each key, the row with the given timestamp. If several rows have it, returns
    /// the last one.
    func rows(named names: some Sequence<(String, Timestamp)>) throws -> [LogRow?] {
        let rows = try statement(
            """
            WHERE \(form.key) = ? AND \(form.timestamp) = ? AND \(form.id) <= ?
            ORDER BY \(form.id) DESC
            """)
        return try names.map { key, timestamp in
            rows.bind(1, copying: key)
            rows.bind(2, timestamp.microseconds)
            rows.bind(3, lastID ?? .max)
            defer { rows.reset() }
            while try rows.step() {
                if let row = row(rows) { return row }
            }
            return nil
        }
    }

    /// Returns the newest row of a key with a timestamp up to `timestamp`.
    func newestRow(_ key: String, through timestamp: Timestamp) throws -> LogRow? {
        let filter = KeyValueStore.RowFilter(key: key, through: min(timestamp, .latest))
        return try first(
            condition(filter), "ORDER BY \(form.timestamp) DESC, \(form.id) DESC")
    }
}
