/// What is to be fetched: nothing is until it is asked for.
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
    /// SQL that follows the table's name, in place of all these.
    var tail: (sql: String, arguments: [SQLValue])?
    var database = AutoDatabase.current

    /// All rows, in the order of their identifiers.
    public init() {}

    /// Those of these rows for which the predicate holds.
    public func `where`(_ predicate: (Record.Columns) -> Condition) -> Query {
        var query = self
        let new = predicate(Record.Columns())
        query.predicate = query.predicate.map { $0 && new } ?? new
        return query
    }

    /// Sorted by these, the first before the second.
    public func order(_ orderings: (Record.Columns) -> [Ordering]) -> Query {
        var query = self
        query.orderings = orderings(Record.Columns())
        return query
    }

    /// So many at most.
    ///
    /// - Parameter offset: How many to pass over. SQLite computes these too; to page through much, ask
    ///   for what follows the last row instead.
    public func limit(_ count: Int, offset: Int = 0) -> Query {
        var query = self
        query.limit = count
        query.offset = offset
        return query
    }

    func place() throws -> AutoDatabase { try database ?? AutoDatabase.having(Record.self) }

    /// What follows `SELECT … FROM table`.
    /// - Parameter isOrdered: Whether the order matters.
    func clauses(isOrdered: Bool = true) throws -> (sql: String, arguments: [SQLValue]) {
        if let tail { return (" \(tail.sql)", tail.arguments) }
        if let problem = predicate?.problem {
            throw AutoModelError(.unfitValue, "a value in a query cannot be kept: \(problem)")
        }
        var sql = predicate.map { " WHERE \($0.sql)" } ?? ""
        var arguments = predicate?.arguments ?? []
        if isOrdered {
            // The identifier last: equal rows are in one order every time.
            sql += " ORDER BY " + (orderings.map(\.whole) + ["id"]).joined(separator: ", ")
            arguments += orderings.flatMap(\.arguments)
        }
        if let limit { sql += " LIMIT \(Swift.max(0, limit)) OFFSET \(Swift.max(0, offset))" }
        return (sql, arguments)
    }

    /// Whether rows can be found to be in it, and where, one by one.
    var isLocal: Bool {
        tail == nil && limit == nil && predicate?.isLocal ?? true
            && orderings.allSatisfy(\.isLocal)
    }
}

// In both kinds of models rather than in what they share: the compiler does not see what a macro's
// conformance implies while it looks up a member.

extension AutoObject {
    /// The rows for which a predicate holds.
    public static func `where`(_ predicate: (Columns) -> Condition) -> Query<Self> {
        Query().where(predicate)
    }

    /// All rows.
    public static var all: Query<Self> { Query() }

    /// Rows by SQL: what follows the name of the table.
    ///
    /// ```swift
    /// Artist.sql("WHERE formed < ? ORDER BY random() LIMIT 1", date)
    /// ```
    ///
    /// - Parameter arguments: One for each `?`.
    public static func sql(_ tail: String, _ arguments: any ColumnValue...) -> Query<Self> {
        var query = Query<Self>()
        query.tail = (tail, arguments.map(\.sqlValue))
        return query
    }
}

extension AutoValue {
    /// The rows for which a predicate holds.
    public static func `where`(_ predicate: (Columns) -> Condition) -> Query<Self> {
        Query().where(predicate)
    }

    /// All rows.
    public static var all: Query<Self> { Query() }

    /// Rows by SQL: what follows the name of the table.
    ///
    /// ```swift
    /// Artist.sql("WHERE formed < ? ORDER BY random() LIMIT 1", date)
    /// ```
    ///
    /// - Parameter arguments: One for each `?`.
    public static func sql(_ tail: String, _ arguments: any ColumnValue...) -> Query<Self> {
        var query = Query<Self>()
        query.tail = (tail, arguments.map(\.sqlValue))
        return query
    }
}
