import GRDB

extension Query {
    /// Returns the number of rows.
    ///
    /// - Throws: ``AutoModelError``.
    public func count() throws -> Int {
        try Int(select("count(*)").first?.first.map { try Int64(sqlValue: $0) } ?? 0)
    }

    /// Runs `count()` asynchronously.
    public func count() async throws -> Int { try await performed { try $0.count() } }

    /// Returns the identifiers, in order.
    /// - Throws: ``AutoModelError``.
    public func ids() throws -> [Int64] {
        try select("id", isOrdered: true).map { try Int64(sqlValue: $0[0]) }
    }

    /// Runs `ids()` asynchronously.
    public func ids() async throws -> [Int64] { try await performed { try $0.ids() } }

    /// Returns one value of each row, in order.
    /// - Throws: ``AutoModelError``.
    public func values<Value>(
        _ make: (Record.Columns) -> some SQLExpression<Value>
    ) throws -> [Value] {
        let expression = make(Record.Columns())._$expression
        return try select(expression.sql, expression.arguments, isOrdered: true)
            .map { try expression.coder.decode($0[0]) }
    }

    /// Runs `values(_:)` asynchronously.
    public func values<Value>(
        _ make: @escaping @Sendable (Record.Columns) -> some SQLExpression<Value>
    ) async throws -> [Value] { try await performed { try $0.values(make) } }

    /// Returns the value of an expression for one row; `nil` if the query has no rows.
    ///
    /// - Throws: ``AutoModelError``.
    public func value<Value>(
        _ make: (Record.Columns) -> some SQLExpression<Value>
    ) throws -> Value? {
        let expression = make(Record.Columns())._$expression
        return try select(expression.sql, expression.arguments).first
            .map { try expression.coder.decode($0[0]) }
    }

    /// Runs `value(_:)` asynchronously.
    public func value<Value>(
        _ make: @escaping @Sendable (Record.Columns) -> some SQLExpression<Value>
    ) async throws -> Value? { try await performed { try $0.value(make) } }

    /// Returns one value computed from all rows, such as `.value { $0.year.max() }`; `nil` if the
    /// value is `NULL`, for example because there are no rows.
    ///
    /// - Throws: ``AutoModelError``.
    public func value<Value>(
        _ make: (Record.Columns) -> some SQLExpression<Value?>
    ) throws -> Value? {
        let expression = make(Record.Columns())._$expression
        return try select(expression.sql, expression.arguments).first
            .flatMap { try expression.coder.decode($0[0]) }
    }

    /// Runs `value(_:)` asynchronously.
    public func value<Value>(
        _ make: @escaping @Sendable (Record.Columns) -> some SQLExpression<Value?>
    ) async throws -> Value? { try await performed { try $0.value(make) } }

    /// Returns the distinct values of an expression, most frequent first, with the number of rows
    /// for each value.
    ///
    /// - Throws: ``AutoModelError``.
    public func groups<Value>(
        by make: (Record.Columns) -> some SQLExpression<Value>
    ) throws -> [(value: Value, count: Int)] {
        let expression = make(Record.Columns())._$expression
        let clauses = try clauses(isOrdered: false)
        let table = try place().table(for: Record.self)
        // Grouping applies to the complete query, including its limit.
        let sql = """
            SELECT v, count(*) FROM (SELECT \(expression.sql.unqualified) AS v FROM \
            \(quoted(table.layout.name))\(clauses.sql)) GROUP BY v ORDER BY count(*) DESC, v
            """
        return try rows(sql, expression.arguments + clauses.arguments, in: table.file).map {
            (try expression.coder.decode($0[0]), Int(try Int64(sqlValue: $0[1])))
        }
    }

    /// Runs `groups(by:)` asynchronously.
    public func groups<Value>(
        by make: @escaping @Sendable (Record.Columns) -> some SQLExpression<Value>
    ) async throws -> [(value: Value, count: Int)] {
        try await performed { try $0.groups(by: make) }
    }

    private func select(
        _ expression: String, _ arguments: [SQLValue] = [], isOrdered: Bool = false
    ) throws -> [[SQLValue]] {
        let table = try place().table(for: Record.self)
        let limited = limit != nil && !isOrdered
        let clauses = try clauses(isOrdered: isOrdered || limited)
        let name = quoted(table.layout.name)
        let expression = expression.unqualified
        // Aggregates apply to the rows within the limit.
        let sql =
            limited
            ? "SELECT \(expression) FROM (SELECT * FROM \(name)\(clauses.sql))"
            : "SELECT \(expression) FROM \(name)\(clauses.sql)"
        return try rows(sql, arguments + clauses.arguments, in: table.file)
    }

    private func rows(
        _ sql: String, _ arguments: [SQLValue], in file: DatabaseFile
    ) throws -> [[SQLValue]] {
        try file.read { try $0.rows(sql, arguments) }
    }

    /// Runs the synchronous version of a method on the file's queue.
    func performed<Result: Sendable>(
        _ body: @escaping @Sendable (Query) throws -> Result
    ) async throws -> Result {
        let database = try place()
        let file = try database.table(for: Record.self).file
        return try await database.perform(on: file) { try body(self) }
    }
}

extension Database {
    func rows(_ sql: String, _ arguments: [SQLValue]) throws -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        try each(sql, arguments) { row in
            rows.append((0..<row.columnCount).map { row.value($0) })
        }
        return rows
    }

    /// Returns the first two columns of a query's rows.
    func texts(_ sql: String, _ arguments: [SQLValue] = []) throws -> [(String, String)] {
        try rows(sql, arguments).map { (try String(sqlValue: $0[0]), try String(sqlValue: $0[1])) }
    }
}

extension AutoDatabase {
    /// Returns the rows of an SQL query over the tables of one file.
    ///
    /// - Parameters:
    ///   - arguments: A value for each `?`.
    ///   - model: A model in the file; by default, the file is the database's own.
    /// - Throws: ``AutoModelError``.
    public func rows(
        _ sql: String, _ arguments: [any ColumnValue] = [], in model: (any AutoRecord.Type)? = nil
    ) throws -> [[SQLValue]] {
        let file = try file(of: model)
        let values = arguments.map(\.sqlValue)
        return try file.read { try $0.rows(sql, values) }
    }

    /// Runs `rows(_:_:in:)` asynchronously.
    public func rows(
        _ sql: String, _ arguments: [any ColumnValue] = [], in model: (any AutoRecord.Type)? = nil
    ) async throws -> [[SQLValue]] {
        let file = try file(of: model)
        return try await perform(on: file) { try self.rows(sql, arguments, in: model) }
    }

    /// Runs SQL that changes rows. Observed objects and live lists are updated.
    ///
    /// - Parameters:
    ///   - arguments: A value for each `?`.
    ///   - model: A model in the file; by default, the file is the database's own.
    /// - Throws: ``AutoModelError``.
    /// - Complexity: O(*n*) in the observed objects, in addition to the SQL.
    public func execute(
        _ sql: String, _ arguments: [any ColumnValue] = [], in model: (any AutoRecord.Type)? = nil
    ) throws {
        let file = try file(of: model)
        let values = arguments.map(\.sqlValue)
        try file.write { session in
            try session.db.run(sql, values)
            session.onCommit { file.noteForeign() }
            session.afterUnlock {
                _ = try? file.lookForOthers()
                // Another thread may have found the commit first, and may still be processing it.
                self.refresh(file)
            }
        }
    }

    /// Runs `execute(_:_:in:)` asynchronously.
    public func execute(
        _ sql: String, _ arguments: [any ColumnValue] = [], in model: (any AutoRecord.Type)? = nil
    ) async throws {
        let file = try file(of: model)
        try await perform(on: file) { try self.execute(sql, arguments, in: model) as Void }
    }
}
