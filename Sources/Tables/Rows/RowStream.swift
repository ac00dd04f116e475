import GRDB

/// Rows of a table or view one after the other, however many there are: for output.
public struct RowStream: Sendable {
    private let file: TableFile
    private let table: NamedTable
    private let selection: RowSelection
    private static let chunk = 1000
    /// So many bytes are read before they are handed on.
    private static let byteLimit = 16 << 20
    /// A longer value ends the stream with an error.
    public static let longestValue = 256 << 20

    /// The rows of a selection, with the values of all columns that the table is shown by.
    ///
    /// - Parameter selection: As ``NamedTable/selection(where:sort:)`` makes it.
    public init(_ file: TableFile, _ table: NamedTable, _ selection: RowSelection) {
        self.file = file
        self.table = table
        self.selection = selection
    }

    /// Calls `body` with each row: its key, where it has one, and its values.
    ///
    /// Rows of a table are read a thousand at a time, so that what is written meanwhile is neither
    /// missed nor told twice; those of a view in one go.
    ///
    /// - Throws: As ``TableFile/read(instructionsPerByte:standsIn:isCancelled:_:)``; ``TablesError``,
    ///   `.moved`, for a view of a file that is written meanwhile; what `body` throws.
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
                let rows = try read {
                    try walk.rows(
                        $0, columns: columns, from: last, limit: wanted,
                        longest: Self.longestValue, byteLimit: Self.byteLimit)
                }
                guard !rows.isEmpty else { return }
                for row in rows { try body(row.key, loaded(row)) }
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

    /// The values of a row.
    ///
    /// - Throws: ``TablesError``, `.unreadable`, if one was too long to be loaded.
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
        // A bare name that the view no longer has would be text.
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
            "SELECT \(names.joined(separator: ", ")) FROM \(source)\(conditions) LIMIT \(limit)"
        var output = HeldRows()
        // A view may compute without end.
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

/// Rows of one statement on their way out: held back as long as they are few, so that a file that
/// changes meanwhile can be read again.
public struct HeldRows {
    private var rows: [[TableValue]] = []
    private var byteCount = 0
    private var isOut = false
    private static let limit = 4 << 20

    public init() {}

    /// Forgets what was held: the statement begins.
    ///
    /// - Throws: ``TablesError``, `.moved`, where rows are out already.
    public mutating func begin() throws(TablesError) {
        guard !isOut else {
            throw TablesError(
                .moved, "the database was written while it was read",
                wayOut: "What was printed is of the state before. Try again.")
        }
        rows = []
        byteCount = 0
    }

    /// One more row.
    public mutating func add(
        _ row: [TableValue], _ body: ([TableValue]) throws -> Void
    ) throws {
        rows.append(row)
        byteCount += row.reduce(0) { $0 + $1.cost }
        guard byteCount > Self.limit else { return }
        isOut = true
        try end(body)
    }

    /// Lets go of what is held.
    public mutating func end(_ body: ([TableValue]) throws -> Void) throws {
        for row in rows { try body(row) }
        rows = []
        byteCount = 0
    }
}
