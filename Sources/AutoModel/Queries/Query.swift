/// A query for records. It does nothing until you fetch, count or follow its rows.
///
/// ```swift
/// let found = try await Artist.where { $0.formed < date && $0.name.hasPrefix("A") }
///     .order { [$0.formed.descending] }
///     .limit(20)
///     .fetch()
/// ```
public struct Query<Record: AutoRecord>: Sendable {
    var predicate: Condition?
    var orderings: [Ordering] = []
    var limit: Int?
    var offset = 0
    /// Custom SQL that follows the table's name. It replaces all other clauses.
    var tail: (sql: String, arguments: [SQLValue])?
    var database = AutoDatabase.current

    /// Creates a query for all rows, in the order of their identifiers.
    public init() {}

    /// Narrows the query to rows that satisfy a predicate.
    public func `where`(
        _ predicate: (Record.Columns) -> some ConditionConvertible
    ) -> Query {
        var query = self
        let new = predicate(Record.Columns())._$condition
        query.predicate = query.predicate.map { $0 && new } ?? new
        return query
    }

    /// Sorts the rows by one or several terms.
    ///
    /// ```swift
    /// Artist.all.order { $0.name.ascending }
    /// Artist.all.order { [$0.formed.descending, $0.name.ascending] }
    /// ```
    public func order(_ orderings: (Record.Columns) -> some OrderingConvertible) -> Query {
        var query = self
        query.orderings = orderings(Record.Columns())._$orderings
        return query
    }

    /// Limits the number of rows.
    ///
    /// - Parameter offset: The number of rows to skip. SQLite still computes the skipped rows. To
    ///   page through many rows, add a condition that selects the rows after the last row of the
    ///   previous page.
    public func limit(_ count: Int, offset: Int = 0) -> Query {
        var query = self
        query.limit = count
        query.offset = offset
        return query
    }

    /// The query for the first row.
    var firstQuery: Query { tail == nil && limit == nil ? limit(1) : self }

    func place() throws -> AutoDatabase { try database ?? AutoDatabase.having(Record.self) }

    /// Returns the SQL that follows `SELECT … FROM table`.
    ///
    /// - Parameter isOrdered: Whether the result depends on the order.
    func clauses(isOrdered: Bool = true) throws -> (sql: String, arguments: [SQLValue]) {
        if let tail { return (" \(tail.sql)", tail.arguments) }
        if let problem = predicate?.problem {
            throw AutoModelError(.invalidValue, "a query can't run: \(problem)")
        }
        var sql = predicate.map { " WHERE \($0.sql)" } ?? ""
        var arguments = predicate?.arguments ?? []
        if isOrdered {
            // Rows that are equal by all orderings are in the order of their identifiers.
            sql += " ORDER BY " + (orderings.map(\.whole) + ["id"]).joined(separator: ", ")
            arguments += orderings.flatMap(\.arguments)
        }
        if let limit { sql += " LIMIT \(Swift.max(0, limit)) OFFSET \(Swift.max(0, offset))" }
        return (sql.unqualified, arguments)
    }

    /// Whether a single row can be examined without running the whole query: whether the row
    /// belongs to the result, and at which place.
    var isLocal: Bool {
        tail == nil && limit == nil && predicate?.isLocal ?? true
            && orderings.allSatisfy(\.isLocal)
    }
}

// These members are declared for each of the two model protocols, not once for their common
// protocol. The compiler's member lookup doesn't see conformances that a macro's conformance
// implies.

extension AutoObject {
    /// Returns a query for the rows that satisfy a predicate.
    public static func `where`(
        _ predicate: (Columns) -> some ConditionConvertible
    ) -> Query<Self> {
        Query().where(predicate)
    }

    /// A query for all rows.
    public static var all: Query<Self> { Query() }

    /// Returns a query with custom SQL, which follows the name of the table.
    ///
    /// ```swift
    /// Artist.sql("WHERE formed < ? ORDER BY random() LIMIT 1", date)
    /// ```
    ///
    /// - Parameter arguments: A value for each `?`.
    public static func sql(_ tail: String, _ arguments: any ColumnValue...) -> Query<Self> {
        var query = Query<Self>()
        query.tail = (tail, arguments.map(\.sqlValue))
        return query
    }
}

extension AutoValue {
    /// Returns a query for the rows that satisfy a predicate.
    public static func `where`(
        _ predicate: (Columns) -> some ConditionConvertible
    ) -> Query<Self> {
        Query().where(predicate)
    }

    /// A query for all rows.
    public static var all: Query<Self> { Query() }

    /// Returns a query with custom SQL, which follows the name of the table.
    ///
    /// ```swift
    /// Artist.sql("WHERE formed < ? ORDER BY random() LIMIT 1", date)
    /// ```
    ///
    /// - Parameter arguments: A value for each `?`.
    public static func sql(_ tail: String, _ arguments: any ColumnValue...) -> Query<Self> {
        var query = Query<Self>()
        query.tail = (tail, arguments.map(\.sqlValue))
        return query
    }
}
