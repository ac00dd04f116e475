public import GRDB

/// The distribution of a column's values.
public struct ColumnProfile: Hashable, Sendable {
    /// A value and the number of rows that hold it.
    public struct Frequency: Hashable, Sendable {
        /// The value.
        public let value: TableValue
        /// The number of rows.
        public let count: Int
    }

    /// The number of rows, including those without a value.
    public private(set) var rowCount = 0
    /// The number of rows with `NULL`.
    public private(set) var nullCount = 0
    /// The number of rows with an empty text or no bytes.
    public private(set) var emptyCount = 0
    /// The number of rows per storage class, by the name that SQLite's `typeof` returns.
    public private(set) var types: [String: Int] = [:]
    /// The number of different values, without `NULL`. Text is compared byte by byte.
    public private(set) var distinctCount = 0
    /// The most frequent values without `NULL`, most frequent first. Equally frequent values are in
    /// SQLite's order.
    public private(set) var frequent: [Frequency] = []
    /// The distribution of the numbers; empty if the column has none.
    public private(set) var numbers = NumberDistribution()
    /// The number of rows that a value must exceed to be among the most frequent values.
    private var leastCount = 0

    /// The maximum length of a frequent value in bytes. Longer values are only counted.
    private static let longestValue = 1 << 16

    /// Reads the profile of a column in one query, which groups the rows by value. Memory doesn't
    /// depend on the number of rows: SQLite sorts large groups in temporary files.
    ///
    /// - Parameters:
    ///   - condition: The condition that rows must meet, in addition to that of `table`.
    ///   - limit: The maximum number of frequent values.
    /// - Throws: `DatabaseError`.
    public init(
        _ db: Database, of column: NamedTable.Column, in table: NamedTable,
        where condition: RowCondition? = nil, limit: Int = 10
    ) throws {
        let condition = table.selection(where: condition).condition
        condition?.prepare(db)
        try db.acceptingQuotedText {
            let stepper = try RowStepper(
                db, Self.sql(column, table, condition), condition?.arguments ?? [])
            while try stepper.step() { add(stepper, limit: limit) }
        }
        dropRareValues(limit)
    }

    /// Creates the profile of values that were counted elsewhere, without its frequent values.
    ///
    /// - Parameter values: The different values, each with the name of its type and the number of
    ///   its rows.
    package init(counting values: [(value: TableValue, type: String, count: Int)]) {
        for (value, type, count) in values {
            rowCount += count
            types[type, default: 0] += count
            switch value {
            case .null: nullCount += count
            case .text(let text) where text.isEmpty: emptyCount += count
            case .blob(let data) where data.isEmpty: emptyCount += count
            case .integer, .real, .text, .malformedText, .blob, .unread: break
            }
            if value != .null { distinctCount += 1 }
        }
        numbers = NumberDistribution(values.map { ($0.value, $0.count) })
    }

    private static func sql(
        _ column: NamedTable.Column, _ table: NamedTable, _ condition: RowCondition?
    ) -> String {
        let source = SQLName.quoted(table.schema.name)
        let name = "\(source).\(SQLName.quoted(column.schema.name))"
        // A column that doesn't convert numbers can contain both 1 and 1.0, which are equal.
        let isMixed =
            column.schema.affinity == .blob || table.schema.kind != .table || table.schema.isStrict
        let order = "\(name) COLLATE BINARY\(isMixed ? ", typeof(\(name))" : "")"
        let filter = condition.map { " WHERE \($0.sql)" } ?? ""
        return
            "SELECT \(name), count(*) FROM \(table.schema.source)\(filter) "
            + "GROUP BY \(order) ORDER BY \(order)"
    }

    /// Adds the next group of equal values. Groups arrive in SQLite's order of values.
    private mutating func add(_ stepper: RowStepper, limit: Int) {
        let count = Int(clamping: stepper.integer(1) ?? 0)
        let type = stepper.type(0)
        rowCount += count
        types[type.rawValue, default: 0] += count
        guard type != .null else {
            nullCount += count
            return
        }
        distinctCount += 1
        switch type {
        case .integer, .real: numbers.add(stepper.value(0), count)
        case .text, .blob: if stepper.byteCount(0) == 0 { emptyCount += count }
        case .null: break
        }
        guard count > leastCount else { return }
        frequent.append(
            Frequency(value: stepper.value(0, longest: Self.longestValue), count: count))
        if frequent.count >= 2 * limit { dropRareValues(limit) }
    }

    /// Sorts the frequent values, stably, and drops those beyond the limit.
    private mutating func dropRareValues(_ limit: Int) {
        frequent.sort { $0.count > $1.count }
        guard frequent.count >= limit else { return }
        frequent.removeSubrange(limit...)
        leastCount = frequent.last?.count ?? 0
    }
}
