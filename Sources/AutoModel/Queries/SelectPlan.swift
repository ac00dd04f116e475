import GRDB

/// A query over one or several tables of a file, as parts of an SQL statement. Each ``SelectQuery``
/// has a plan.
public struct SelectPlan: Sendable {
    /// A table of the query. Its alias is the table's name, with a number if the name is taken.
    struct Source: Sendable {
        let record: any AutoRecord.Type
        let alias: String
    }

    /// A part of a statement with its arguments.
    struct Term: Sendable {
        var sql: String
        var arguments: [SQLValue] = []
    }

    private(set) var sources: [Source] = []
    private var from = Term(sql: "")
    private var predicate: Condition?
    private var groups: [Term] = []
    private var having: Condition?
    var orderings: [Ordering] = []
    var limit: Int?
    var offset = 0
    private let database: AutoDatabase?
    /// The reason that the query can't run, if there is one.
    private var problem: String?

    init<Record: AutoRecord>(_ query: Query<Record>) {
        database = query.database
        let table = Record._$declaration.table
        sources = [Source(record: Record.self, alias: table)]
        if query.tail == nil, query.limit == nil {
            from.sql = quoted(table)
            predicate = query.predicate?.qualified(by: quoted(table))
        } else {
            from = subquery(query, alias: table)
        }
        orderings = query.orderings.map { $0.qualified(by: quoted(table)) }
    }

    /// Returns the rows of a query as a table.
    private mutating func subquery<Record: AutoRecord>(
        _ query: Query<Record>, alias: String
    ) -> Term {
        let table = quoted(Record._$declaration.table)
        do {
            let clauses = try query.clauses()
            return Term(
                sql: "(SELECT \(table).* FROM \(table)\(clauses.sql)) AS \(quoted(alias))",
                arguments: clauses.arguments)
        } catch {
            problem = problem ?? (error as? AutoModelError)?.message ?? "\(error)"
            return Term(sql: "\(table) AS \(quoted(alias))")
        }
    }

    // MARK: Clauses

    /// Joins the table that a reference leads to.
    ///
    /// - Returns: The alias of the table.
    mutating func join<Target>(
        _ reference: RowExpression<Reference<Target>>, isOuter: Bool
    ) -> String {
        let alias = addSource(Target.self)
        let base = quoted(sources[0].alias)
        from.sql += """
             \(isOuter ? "LEFT JOIN" : "JOIN") \(quoted(Target._$declaration.table)) \
            AS \(quoted(alias)) ON \(reference.sql.qualified(by: base)) = \(quoted(alias)).id
            """
        from.arguments += reference.arguments
        return alias
    }

    /// Joins the rows of a query that refer to the first table.
    ///
    /// - Returns: The alias of the table.
    mutating func join<Record: AutoRecord>(
        _ query: Query<Record>, by column: String, isOuter: Bool
    ) -> String {
        let alias = addSource(Record.self)
        let isWhole = query.predicate == nil && query.tail == nil && query.limit == nil
        let rows =
            isWhole
            ? Term(sql: "\(quoted(Record._$declaration.table)) AS \(quoted(alias))")
            : subquery(query, alias: alias)
        from.sql += """
             \(isOuter ? "LEFT JOIN" : "JOIN") \(rows.sql) \
            ON \(quoted(alias)).\(quoted(column)) = \(quoted(sources[0].alias)).id
            """
        from.arguments += rows.arguments
        orderings += query.orderings.map { $0.qualified(by: quoted(alias)) }
        return alias
    }

    private mutating func addSource(_ record: any AutoRecord.Type) -> String {
        let name = record._$declaration.table
        let taken = Set(sources.map { $0.alias.lowercased() })
        var alias = name
        var number = 2
        while taken.contains(alias.lowercased()) {
            alias = "\(name)_\(number)"
            number += 1
        }
        sources.append(Source(record: record, alias: alias))
        return alias
    }

    mutating func narrow(_ condition: Condition) {
        let new = condition.qualified(by: firstAlias)
        predicate = predicate.map { $0 && new } ?? new
    }

    mutating func group(by terms: [Term]) {
        groups = terms.map { Term(sql: $0.sql.qualified(by: firstAlias), arguments: $0.arguments) }
        // The order of the rows doesn't determine an order of the groups.
        orderings = []
    }

    mutating func narrowGroups(_ condition: Condition) {
        let new = condition.qualified(by: firstAlias)
        having = having.map { $0 && new } ?? new
    }

    mutating func order(_ orderings: [Ordering]) {
        self.orderings = orderings.map { $0.qualified(by: firstAlias) }
    }

    /// The alias of the table whose columns may be unqualified.
    private var firstAlias: String { quoted(sources[0].alias) }

    // MARK: Running

    func place() throws -> AutoDatabase { try database ?? AutoDatabase.having(sources[0].record) }

    /// Returns the tables of the sources, which must be in one file.
    func tables() throws -> [any AnyTable] {
        let database = try place()
        let tables = try sources.map { try database.table(for: $0.record) }
        if let other = tables.first(where: { $0.file !== tables[0].file }) {
            throw AutoModelError(
                .declaration,
                "'\(tables[0].layout.name)' and '\(other.layout.name)' are in different files, "
                    + "and a query can only join tables of one file")
        }
        return tables
    }

    /// The identifiers of the rows that a row of the result consists of.
    var idTerms: [Term] { sources.map { Term(sql: "\(quoted($0.alias)).id") } }

    /// Returns the statement that selects the given terms.
    func statement(selecting terms: [Term]) throws -> Term {
        if let problem = problem ?? predicate?.problem ?? having?.problem {
            throw AutoModelError(.invalidValue, "a query can't run: \(problem)")
        }
        var whole = Term(sql: "SELECT ")
        func add(_ terms: [Term]) {
            whole.sql += terms.map(\.sql).joined(separator: ", ")
            whole.arguments += terms.flatMap(\.arguments)
        }
        add(terms.map { Term(sql: $0.sql.qualified(by: firstAlias), arguments: $0.arguments) })
        whole.sql += " FROM "
        add([from])
        if let predicate {
            whole.sql += " WHERE "
            add([Term(sql: predicate.sql, arguments: predicate.arguments)])
        }
        if !groups.isEmpty {
            whole.sql += " GROUP BY "
            add(groups)
        }
        if let having {
            whole.sql += " HAVING "
            add([Term(sql: having.sql, arguments: having.arguments)])
        }
        whole.sql += " ORDER BY "
        // The last terms give rows that are equal by all orderings a stable order.
        let last = groups.isEmpty ? idTerms : groups
        add(orderings.map { Term(sql: $0.whole, arguments: $0.arguments) } + last)
        if let limit {
            whole.sql += " LIMIT \(Swift.max(0, limit)) OFFSET \(Swift.max(0, offset))"
        }
        return whole
    }

    /// Returns the number of rows or groups.
    func count() throws -> Int {
        let inner = try statement(selecting: [Term(sql: "1")])
        let file = try tables()[0].file
        let value = try file.read {
            try $0.value("SELECT count(*) FROM (\(inner.sql))", inner.arguments)
        }
        return try value.map { Int(try Int64(sqlValue: $0)) } ?? 0
    }
}

extension String {
    /// Returns the SQL with an alias before each marked column.
    ///
    /// The mark is a zero byte, because neither names nor SQL can contain it.
    func qualified(by alias: String) -> String { replacingMarks(with: "\(alias).") }

    /// The SQL without aliases before the marked columns.
    var unqualified: String { replacingMarks(with: "") }

    private func replacingMarks(with prefix: String) -> String {
        guard utf8.contains(0) else { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count + prefix.utf8.count)
        for byte in utf8 {
            if byte == 0 { bytes += prefix.utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Returns the SQL of a column without its table. A query adds the table.
func columnSQL(_ name: String) -> String { "\0\(quoted(name))" }

extension Condition {
    func qualified(by alias: String) -> Condition {
        Condition(sql.qualified(by: alias), arguments, problem: problem, isLocal: isLocal)
    }
}

extension Ordering {
    func qualified(by alias: String) -> Ordering {
        Ordering(
            sql: sql.qualified(by: alias), arguments: arguments, isDescending: isDescending,
            isLocal: isLocal)
    }
}

extension RowExpression {
    var term: SelectPlan.Term { SelectPlan.Term(sql: sql, arguments: arguments) }
}
