import GRDB
import Replication

/// A stream of the rows of a table or view of any size, for output.
public struct RowStream: Sendable {
    private let file: TableFile
    private let table: NamedTable
    private let selection: RowSelection
    private static let chunk = 1000
    /// The number of bytes that are read before the rows are passed on.
    private static let byteLimit = 16 << 20
    /// The length above which a value ends the stream with an error.
    public static let longestValue = 256 << 20

    /// Creates a stream of a selection's rows, with the values of all displayed columns.
    ///
    /// - Parameter selection: The selection that ``NamedTable/selection(where:sort:)`` returns.
    public init(_ file: TableFile, _ table: NamedTable, _ selection: RowSelection) {
        self.file = file
        self.table = table
        self.selection = selection
    }

    /// Calls `body` with the key and the values of each row. The key is `nil` if the row has none.
    ///
    /// Rows of a table are read a thousand at a time. If the table is written during the stream,
    /// rows that exist the whole time are neither skipped nor repeated. Rows of a view are read in
    /// one query.
    ///
    /// - Throws: As ``TableFile/read(instructionsPerByte:standsIn:isCancelled:_:)``;
    ///   ``TablesError``: `.moved` for a view of a file that is written during the stream;
    ///   `.unreadable` if the rows of a damaged table are out of order, after the rows before the
    ///   damage; errors of `body`.
    public func forEachRow(
        limit: Int, _ body: (RowKey?, [TableValue]) throws -> Void
    ) throws {
        guard limit > 0 else { return }
        guard table.schema.hasKeys else { return try forEachRowAtOnce(limit, body) }
        let walk = try RowWalk(table.schema, selection)
        guard walk.findsKeys else { return try forEachRowAtOnce(limit, body) }
        let columns = table.columns.map(\.schema.name)
        if walk.isIndexed || limit <= Self.chunk {
            var rest = limit
            var last: RowPosition?
            while rest > 0 {
                let wanted = min(rest, Self.chunk)
                let (rows, damage) = try read {
                    try walk.rowsBeforeDamage(
                        $0, columns: columns, from: last, limit: wanted,
                        longest: Self.longestValue, byteLimit: Self.byteLimit)
                }
                for row in rows { try body(row.key, loaded(row)) }
                if let damage { throw damage }
                guard !rows.isEmpty else { return }
                rest -= rows.count
                last = rows.last?.position
            }
            return
        }
        let keys = try read { try SortedKeys(walk, $0) }
        let count = min(limit, keys.count)
        for start in stride(from: 0, to: count, by: Self.chunk) {
            var part = keys[start..<min(count, start + Self.chunk)][...]
            while !part.isEmpty {
                let (rows, keyCount) = try read {
                    try walk.rows(
                        $0, columns: columns, keys: part, longest: Self.longestValue,
                        byteLimit: Self.byteLimit)
                }
                for row in rows { try body(row.key, loaded(row)) }
                part = part.dropFirst(keyCount)
            }
        }
    }

    /// Returns the values of a row.
    ///
    /// - Throws: ``TablesError``, `.unreadable`, if a value was too long to be loaded.
    private func loaded(_ row: TableRow) throws -> [TableValue] {
        try row.requireLoaded(table.columns.map(\.name))
        return row.values
    }

    private func read<Value>(
        instructionsPerByte: Int = 5000, _ body: (Database) throws -> Value
    ) throws -> Value {
        try file.read(instructionsPerByte: instructionsPerByte, body).0
    }

    private func forEachRowAtOnce(
        _ limit: Int, _ body: (RowKey?, [TableValue]) throws -> Void
    ) throws {
        // If the view no longer has a column, SQLite would read its unqualified name as a string.
        // Therefore, names are qualified.
        let source = SQLName.quoted(table.schema.name)
        var conditions = ""
        if let condition = selection.condition { conditions = " WHERE \(condition.sql)" }
        if let sort = selection.sort {
            conditions +=
                " ORDER BY \(source).\(SQLName.quoted(sort.column))"
                + (sort.isDescending ? " DESC" : "")
        }
        let arguments = selection.condition?.arguments ?? []
        let names = table.columns.map { "\(source).\(SQLName.quoted($0.schema.name))" }
        let sql =
            "SELECT \(names.joined(separator: ", ")) FROM \(table.schema.source)\(conditions) "
            + "LIMIT \(limit)"
        var output = BufferedRows()
        // Set a limit, because the query of a view may never end.
        try read(instructionsPerByte: 500) { db in
            try output.begin()
            selection.condition?.prepare(db)
            try db.acceptingQuotedText {
                let stepper = try RowStepper(db, sql, arguments)
                let columns = 0..<stepper.columnCount
                while try stepper.step() {
                    try output.add(stepper.values(columns)) { try body(nil, $0) }
                }
            }
        }
        try output.end { try body(nil, $0) }
    }
}

/// The output rows of one statement. The first rows are held back, so that the query can run again
/// if the file changes.
public struct BufferedRows {
    private var rows: [[TableValue]] = []
    private var byteCount = 0
    private var isOut = false
    private static let limit = 4 << 20

    /// Creates an empty buffer.
    public init() {}

    /// Discards held rows because the statement restarts.
    ///
    /// - Throws: ``TablesError``, `.moved`, if rows were already passed on.
    public mutating func begin() throws(TablesError) {
        guard !isOut else {
            throw TablesError(
                .moved, "the database changed during the read",
                suggestion: "the rows read so far are from before the change; try again")
        }
        rows = []
        byteCount = 0
    }

    /// Adds a row. If the buffer is full, passes the held rows on.
    ///
    /// - Throws: Errors of `body`.
    public mutating func add(
        _ row: [TableValue], _ body: ([TableValue]) throws -> Void
    ) throws {
        rows.append(row)
        byteCount += row.reduce(0) { $0 + $1.cost }
        guard byteCount > Self.limit else { return }
        isOut = true
        try end(body)
    }

    /// Passes the held rows on.
    ///
    /// - Throws: Errors of `body`.
    public mutating func end(_ body: ([TableValue]) throws -> Void) throws {
        for row in rows { try body(row) }
        rows = []
        byteCount = 0
    }
}
