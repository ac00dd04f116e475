/// The rows of a query in the form that its caller gets.
struct Selection<Row: Sendable>: Sendable {
    /// The rows of the file, before the conversion.
    struct Found {
        var rows: [[SQLValue]]
        /// For each column, the objects by identifier. Empty if the rows contain values instead of
        /// identifiers of objects.
        var records: [[Int64: any AutoRecord]] = []
        /// Work to do after the read transaction.
        var finish: [() -> Void] = []
    }

    let plan: SelectPlan
    private let terms: [SelectPlan.Term]
    /// Whether the rows consist of identifiers of objects.
    let hasRecords: Bool
    private let convert: @Sendable (Found) throws -> [Row]

    /// Creates a selection of objects.
    ///
    /// - Parameter convert: Returns the row for the caller; `nil` leaves the row out.
    init(_ plan: SelectPlan, _ convert: @escaping @Sendable (JoinedRecords) -> Row?) {
        self.plan = plan
        terms = plan.idTerms
        hasRecords = true
        self.convert = { found in
            found.rows.compactMap { convert(JoinedRecords(ids: $0, records: found.records)) }
        }
    }

    private init(
        _ plan: SelectPlan, _ terms: [SelectPlan.Term],
        _ convert: @escaping @Sendable ([SQLValue]) throws -> Row
    ) {
        self.plan = plan
        self.terms = terms
        hasRecords = false
        self.convert = { try $0.rows.map(convert) }
    }

    /// Returns a selection of one value per row.
    static func value(
        _ plan: SelectPlan, _ expression: some SQLExpression<Row>
    ) -> Selection {
        let expression = expression._$expression
        let coder = expression.coder
        return Selection(plan, [expression.term]) { try coder.decode($0[0]) }
    }

    /// Returns a selection of several values per row.
    static func values<each Expression: SQLExpression>(
        _ plan: SelectPlan, _ expressions: repeat each Expression
    ) -> Selection where Row == (repeat (each Expression).Value) {
        let coders = (repeat (each expressions)._$expression.coder)
        return Selection(plan, selectTerms(repeat each expressions)) { row in
            var index = 0
            func next<Value>(_ coder: ValueCoder<Value>) throws -> Value {
                defer { index += 1 }
                return try coder.decode(row[index])
            }
            return (repeat try next(each coders))
        }
    }

    /// Reads the rows. The caller holds the file.
    func find(_ tables: [any AnyTable]) throws -> Found {
        let statement = try plan.statement(selecting: terms)
        return try tables[0].file.read { db in
            var found = Found(rows: try db.rows(statement.sql, statement.arguments))
            guard hasRecords else { return found }
            for (index, table) in tables.enumerated() {
                let ids = Set(found.rows.compactMap { try? Int64(sqlValue: $0[index]) })
                found.records.append(try table.records(ids.sorted(), &found.finish))
            }
            return found
        }
    }

    func rows(of found: Found) throws -> [Row] { try convert(found) }

    func all() throws -> [Row] {
        let found = try find(plan.tables())
        defer { for body in found.finish { body() } }
        return try rows(of: found)
    }

    func all() async throws -> [Row] { try await plan.performed { _ in try all() } }
}

/// The objects of a row of a joined query.
struct JoinedRecords {
    let ids: [SQLValue]
    /// The objects of each table, by identifier.
    let records: [[Int64: any AutoRecord]]

    /// Returns the object of a table; `nil` if the row has none.
    func record<Record: AutoRecord>(_ index: Int, as type: Record.Type) -> Record? {
        guard case .integer(let id) = ids[index] else { return nil }
        return records[index][id] as? Record
    }
}

func selectTerms<each Expression: SQLExpression>(
    _ expressions: repeat each Expression
) -> [SelectPlan.Term] {
    var terms: [SelectPlan.Term] = []
    for expression in repeat each expressions { terms.append(expression._$expression.term) }
    return terms
}

extension SelectPlan {
    /// Runs the synchronous version of a method on the file's queue.
    func performed<Result: Sendable>(
        _ body: @escaping @Sendable (SelectPlan) throws -> Result
    ) async throws -> Result {
        try await place().perform(on: tables()[0].file) { try body(self) }
    }
}
