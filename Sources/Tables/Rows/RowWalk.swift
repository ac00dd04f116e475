public import GRDB
import Replication

/// A reader that walks through the rows of a table in a given order, from any position. Reads
/// only the requested rows.
///
/// A position is found by the values that rows are ordered by, never by an offset. Without an index
/// for the order, each walk examines every row; check ``isIndexed`` first.
public struct RowWalk: Sendable {
    /// The table.
    public let table: TableSchema
    /// The filter and the order of the rows.
    public let selection: RowSelection
    let order: RowOrder
    /// SQLite's limit on the columns of a result.
    private static let columnLimit = 1000

    /// Whether a row can be found by its key without reading the others.
    var findsKeys: Bool { !order.keyParts.contains { order.parts[$0].isStandIn } }

    /// Whether the table or an index provides the order.
    public var isIndexed: Bool { order.isIndexed }

    /// Creates a walk.
    ///
    /// - Throws: ``TablesError``: `.usage` for a table whose rows have no key, `.notFound` for a
    ///   missing column.
    public init(_ table: TableSchema, _ selection: RowSelection = RowSelection())
        throws(TablesError)
    {
        self.table = table
        self.selection = selection
        order = try RowOrder(table, selection.sort)
    }

    /// Returns the first rows after a position, or the last rows before it.
    ///
    /// - Parameters:
    ///   - columns: The columns to load.
    ///   - bound: The position to start from; `nil` for the start, or for the end if `backwards`.
    ///   - isInclusive: Whether a row at exactly that position counts.
    ///   - backwards: Whether to read the rows before the position. These rows are also returned in
    ///     the walk's order.
    ///   - longest: The length in bytes above which a value is not loaded.
    ///   - byteLimit: The number of bytes after which no more rows are read.
    /// - Throws: `DatabaseError`; ``TablesError``, `.unreadable`, if the rows of a damaged table
    ///   are out of order.
    /// - Complexity: O(*n*) in `limit` and O(log *n*) in the rows of the table, if an index
    ///   provides the order and no condition skips rows.
    public func rows(
        _ db: Database, columns: [String], from bound: RowPosition? = nil,
        isInclusive: Bool = false, backwards: Bool = false, limit: Int,
        longest: Int = RowWalk.defaultLimit, byteLimit: Int = .max
    ) throws -> [TableRow] {
        let (rows, damage) = try rowsBeforeDamage(
            db, columns: columns, from: bound, isInclusive: isInclusive, backwards: backwards,
            limit: limit, longest: longest, byteLimit: byteLimit)
        if let damage { throw damage }
        return rows
    }

    /// Returns the rows after a position, or before it. If the table is damaged, returns the rows
    /// up to the damage, and the error. The parameters have the same meaning as in `rows(…)`.
    func rowsBeforeDamage(
        _ db: Database, columns: [String], from bound: RowPosition?, isInclusive: Bool = false,
        backwards: Bool = false, limit: Int, longest: Int, byteLimit: Int
    ) throws -> (rows: [TableRow], damage: TablesError?) {
        let first = Array(columns.prefix(Self.columnLimit))
        var rows: [TableRow] = []
        var damage: TablesError?
        var byteCount = 0
        do {
            damage = try db.limitingLength(to: longest) {
                try visit(
                    db, columns: first, from: bound, isInclusive: isInclusive,
                    backwards: backwards, limit: limit
                ) { row in
                    rows.append(row)
                    byteCount += row.values.reduce(0) { $0 + $1.cost }
                    return byteCount < byteLimit
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
            rows = []
            damage = try visit(
                db, columns: [], from: bound, isInclusive: isInclusive, backwards: backwards,
                limit: limit
            ) {
                rows.append($0)
                return true
            }
            byteCount = 0
            for index in rows.indices {
                rows[index].values = try first.map {
                    try value(db, of: rows[index].key, $0, limit: longest)
                }
                byteCount += rows[index].values.reduce(0) { $0 + $1.cost }
                guard byteCount < byteLimit else {
                    // The next read finds the damage again.
                    if index + 1 < rows.count { damage = nil }
                    rows.removeSubrange((index + 1)...)
                    break
                }
            }
        }
        if columns.count > first.count {
            let rest = Array(columns.dropFirst(first.count))
            for index in rows.indices {
                rows[index].values +=
                    try values(db, of: rows[index].key, rest, longest: longest) ?? []
            }
        }
        return (backwards ? rows.reversed() : rows, damage)
    }

    /// Skips rows after a position.
    ///
    /// - Returns: The number of rows, up to `limit`, and the position of the last one.
    /// - Throws: As ``rows(_:columns:from:isInclusive:backwards:limit:longest:byteLimit:)``.
    func skip(
        _ db: Database, from bound: RowPosition?, limit: Int
    ) throws -> (count: Int, last: RowPosition?) {
        var count = 0
        var last: RowPosition?
        for segment in Segment.after(bound, order, isInclusive: false) where count < limit {
            let stepper = try stepper(db, segment, columns: [], order, limit: limit - count)
            while try stepper.step() {
                count += 1
                if count == limit { last = position(of: stepper) }
            }
        }
        if let bound, let last, try !proceeds(db, order, from: bound, to: last) {
            throw disorder(last, after: bound)
        }
        return (count, last)
    }

    /// Returns the position of a row; `nil` if it was deleted or doesn't meet the condition.
    ///
    /// - Throws: `DatabaseError`.
    public func position(_ db: Database, of key: RowKey) throws -> RowPosition? {
        guard key.values.count == order.keyParts.count else { return nil }
        let (sql, arguments) = keyCondition(key)
        var condition = RowCondition(sql, arguments)
        if let more = selection.condition { condition = condition && more }
        condition.prepare(db)
        let stepper = try RowStepper(
            db,
            "SELECT \(order.parts.map(\.sql).joined(separator: ", ")) FROM \(source) "
                + "WHERE \(condition.sql)", condition.arguments)
        return try stepper.step() ? position(of: stepper) : nil
    }

    /// Returns the values of one row; `nil` if it was deleted.
    ///
    /// - Throws: `DatabaseError`.
    public func values(
        _ db: Database, of key: RowKey, _ columns: [String], longest: Int = RowWalk.defaultLimit
    ) throws -> [TableValue]? {
        var values: [TableValue] = []
        let (condition, arguments) = keyCondition(key)
        var rest = columns[...]
        repeat {
            let part = rest.prefix(Self.columnLimit)
            rest = rest.dropFirst(part.count)
            let names = part.isEmpty ? "1" : part.map(SQLName.quoted).joined(separator: ", ")
            let sql = "SELECT \(names) FROM \(source) WHERE \(condition)"
            do {
                let found = try db.limitingLength(to: longest) {
                    let stepper = try RowStepper(db, sql, arguments)
                    return try stepper.step() ? stepper.values(0..<part.count) : nil
                }
                guard let found else { return nil }
                values += found
            } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
                values += try part.map { try value(db, of: key, $0, limit: longest) }
            }
        } while !rest.isEmpty
        return values
    }

    /// Returns one value, or only its length if it is too long.
    ///
    /// - Parameter limit: The length in bytes above which the value is not loaded.
    /// - Throws: `DatabaseError`.
    public func value(
        _ db: Database, of key: RowKey, _ column: String, limit: Int = RowWalk.defaultLimit
    ) throws -> TableValue {
        let (condition, arguments) = keyCondition(key)
        let name = SQLName.quoted(column)
        let tail = " FROM \(source) WHERE \(condition)"
        do {
            return try db.limitingLength(to: limit) {
                let stepper = try RowStepper(db, "SELECT \(name)\(tail)", arguments)
                return try stepper.step() ? stepper.value(0) : .null
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
            // These expressions return the type, and the length of a blob, without loading the
            // value.
            let stepper = try RowStepper(
                db,
                "SELECT typeof(\(name)) = 'text', CASE typeof(\(name)) WHEN 'blob' "
                    + "THEN length(\(name)) END\(tail)", arguments)
            guard try stepper.step() else { return .null }
            return .unread(
                isText: stepper.integer(0) == 1,
                byteCount: stepper.integer(1).map(Int.init(clamping:)))
        }
    }

    /// The default length in bytes above which values are not loaded.
    public static let defaultLimit = 4 << 20

    // MARK: Statements

    private var source: String { table.source }

    func keyCondition(_ key: RowKey) -> (sql: String, arguments: [TableValue]) {
        let terms = zip(order.keyParts, key.values).map { part, value in
            let part = order.parts[part]
            // Use `IS` only for NULL, because SQLite can't use the index of a table without rowid
            // for it.
            return value == .null ? "\(part.sql) IS ?" : "\(part.exact) = ?"
        }
        return (terms.joined(separator: " AND "), key.values)
    }

    /// Calls `body` with each row until it returns `false`.
    ///
    /// SQLite finds the rows after a position in a tree of pages. In a damaged tree, each search
    /// can lead to rows before the position again, so a walk from row to row would never end.
    ///
    /// - Returns: An error if the rows are out of order. `body` is called only for the rows before
    ///   the first one that is.
    private func visit(
        _ db: Database, columns: [String], from bound: RowPosition?, isInclusive: Bool,
        backwards: Bool, limit: Int, _ body: (TableRow) -> Bool
    ) throws -> TablesError? {
        let order = backwards ? self.order.reversed() : self.order
        let first = order.parts.count
        var rest = limit
        var last = isInclusive ? nil : bound
        for segment in Segment.after(bound, order, isInclusive: isInclusive) where rest > 0 {
            let stepper = try stepper(db, segment, columns: columns, order, limit: rest)
            while try stepper.step() {
                let position = position(of: stepper)
                if let last, order.comparesNumbers(last, before: position) == false {
                    return disorder(position, after: last)
                }
                last = position
                rest -= 1
                let row = TableRow(
                    key: order.key(of: position.values), position: position,
                    values: stepper.values(first..<first + columns.count))
                guard body(row) else {
                    rest = 0
                    break
                }
            }
        }
        if !isInclusive, let bound, let last, last != bound,
            try !proceeds(db, order, from: bound, to: last)
        {
            return disorder(last, after: bound)
        }
        return nil
    }

    /// Returns whether a position is after another one. Also returns `true` if no index has this
    /// order, because SQLite then sorts the rows for each read.
    private func proceeds(
        _ db: Database, _ order: RowOrder, from bound: RowPosition, to position: RowPosition
    ) throws -> Bool {
        if let isAfter = order.comparesNumbers(bound, before: position) { return isAfter }
        return try !order.isIndexed || order.isOrdered(db, bound, before: position)
    }

    private func disorder(_ position: RowPosition, after last: RowPosition) -> TablesError {
        let (key, before) = (order.key(of: position.values), order.key(of: last.values))
        return TablesError(
            .unreadable,
            "\(table.name) is damaged: row \(key.text) follows row \(before.text)",
            suggestion: "restore the file from a backup")
    }

    private func position(of stepper: RowStepper) -> RowPosition {
        RowPosition(values: stepper.values(0..<order.parts.count))
    }

    private func stepper(
        _ db: Database, _ segment: Segment, columns: [String], _ order: RowOrder, limit: Int
    ) throws -> RowStepper {
        selection.condition?.prepare(db)
        let (sql, arguments) = statement(segment, columns: columns, order, limit: limit)
        return try RowStepper(db, sql, arguments)
    }

    /// Returns the statements that read the rows after a position, to inspect their query plans.
    package func statements(from bound: RowPosition?) -> [(
        sql: String, arguments: StatementArguments
    )] {
        Segment.after(bound, order, isInclusive: false).map { segment in
            let (sql, arguments) = statement(segment, columns: [], order, limit: 10)
            return (sql, StatementArguments(arguments.compactMap(\.argument)))
        }
    }

    private func statement(
        _ segment: Segment, columns: [String], _ order: RowOrder, limit: Int
    ) -> (sql: String, arguments: [TableValue]) {
        let names = order.parts.map(\.sql) + columns.map(SQLName.quoted)
        var conditions = segment.terms
        var arguments = segment.arguments
        if let condition = selection.condition {
            conditions.insert("(\(condition.sql))", at: 0)
            arguments = condition.arguments + arguments
        }
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return (
            "SELECT \(names.joined(separator: ", ")) FROM \(source)\(filter) "
                + "ORDER BY \(order.sql) LIMIT \(max(0, limit))",
            arguments
        )
    }

    /// A subset of the rows after a position, which one index search can find. These rows are
    /// equal to the position in the first columns, and greater in the next column.
    private struct Segment {
        var terms: [String] = []
        var arguments: [TableValue] = []

        static func after(
            _ bound: RowPosition?, _ order: RowOrder, isInclusive: Bool
        ) -> [Segment] {
            guard let bound, bound.values.count == order.parts.count else { return [Segment()] }
            var segments: [Segment] = []
            for count in order.parts.indices.reversed() {
                var equal = Segment()
                for (part, value) in zip(order.parts, bound.values).prefix(count) {
                    equal.require(part, equals: value)
                }
                let (part, value) = (order.parts[count], bound.values[count])
                if isInclusive, count == order.parts.count - 1 {
                    var same = equal
                    same.require(part, equals: value)
                    segments.append(same)
                }
                segments += equal.after(part, value)
            }
            return segments
        }

        private mutating func require(_ part: RowOrder.Part, equals value: TableValue) {
            if value == .null {
                terms.append("\(part.sql) IS NULL")
            } else {
                terms.append("\(part.collated) = ?")
                arguments.append(value)
            }
        }

        /// Returns the segments of the rows after a value of a part. `NULL` sorts first, or last in
        /// a descending order.
        private func after(_ part: RowOrder.Part, _ value: TableValue) -> [Segment] {
            var next = self
            switch (value == .null, part.isDescending) {
            case (true, true): return []
            case (true, false):
                next.terms.append("\(part.sql) IS NOT NULL")
                return [next]
            case (false, let isDescending):
                next.terms.append("\(part.collated) \(isDescending ? "<" : ">") ?")
                next.arguments.append(value)
                guard isDescending, part.isNullable else { return [next] }
                var last = self
                last.terms.append("\(part.sql) IS NULL")
                return [next, last]
            }
        }
    }
}
