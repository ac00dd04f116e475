import GRDB

/// A total order of rows. Each row has a unique position, and any position is found by searching,
/// not by counting.
struct RowOrder: Hashable, Sendable {
    struct Part: Hashable, Sendable {
        /// The quoted column name, or an expression in parentheses.
        let sql: String
        /// The collation; `nil` for the rowid, which is always an integer.
        let collation: String?
        var isDescending: Bool
        let isNullable: Bool
        /// Whether the collation is missing. In that case, only identical bytes are equal, and the
        /// order of an index is unknown.
        var isStandIn = false

        /// The column as an expression for equality tests.
        var exact: String { isStandIn ? "\(sql) COLLATE BINARY" : collated }

        var collated: String { collating(sql) }

        /// Returns an expression with the column's collation.
        func collating(_ expression: String) -> String {
            collation.map { "\(expression) COLLATE \(SQLName.quoted($0))" } ?? expression
        }

        func reversed() -> Part {
            var part = self
            part.isDescending.toggle()
            return part
        }
    }

    /// The parts in order, ending with the key.
    let parts: [Part]
    /// The indices in ``parts`` of the key's values.
    let keyParts: [Int]
    /// Whether the table or an index provides the order.
    let isIndexed: Bool

    /// The terms of `ORDER BY`.
    var sql: String {
        parts.map { "\($0.collated)\($0.isDescending ? " DESC" : "")" }.joined(separator: ", ")
    }

    /// Creates the order of a table's rows.
    ///
    /// - Throws: ``TablesError``: `.usage` for rows without a key, `.notFound` for a missing
    ///   column.
    init(_ table: TableSchema, _ sort: RowSelection.Sort?) throws(TablesError) {
        let key = try Self.key(of: table)
        guard let sort else {
            self.init(key, reversed: false)
            return
        }
        if let expression = sort.expression {
            let part = Part(
                sql: expression, collation: nil, isDescending: sort.isDescending, isNullable: true)
            self.init(
                parts: [part] + key, keyParts: Array(1..<1 + key.count), isIndexed: false)
            return
        }
        guard let column = table.column(sort.column) else {
            guard table.rowID.map({ SQLName.areSame($0, sort.column) }) ?? false else {
                throw TablesError(.notFound, "\(table.name) has no column \(sort.column)")
            }
            self.init(key, reversed: sort.isDescending)
            return
        }
        if Self.isRowID(column, of: table) || key.first?.sql == SQLName.quoted(column.name) {
            let first = key.first?.isDescending ?? false
            self.init(key, reversed: first != sort.isDescending)
            return
        }
        let index = table.indices.first { Self.orders($0, by: column.name, in: table) }
        var parts: [Part] = []
        if let index {
            let turns = index.parts.first?.isDescending != sort.isDescending
            for part in index.parts {
                guard let name = part.column else { continue }
                let plain = Part(
                    sql: SQLName.quoted(name), collation: part.collation,
                    isDescending: part.isDescending,
                    isNullable: table.column(name)?.isNotNull != true)
                parts.append(turns ? plain.reversed() : plain)
            }
            // Entries of an index that are otherwise equal are in ascending order of the rowid, or
            // in descending order if the index is read backwards.
            let rest = key.filter { part in !parts.contains { $0.sql == part.sql } }
            parts += turns ? rest.map { $0.reversed() } : rest
        } else {
            parts = [
                Part(
                    sql: SQLName.quoted(column.name), collation: nil,
                    isDescending: sort.isDescending, isNullable: true)
            ]
            parts += key.filter { part in !parts.contains { $0.sql == part.sql } }
        }
        let keyParts = key.compactMap { part in parts.firstIndex { $0.sql == part.sql } }
        self.init(
            parts: parts, keyParts: keyParts,
            isIndexed: index != nil && !parts.contains(where: \.isStandIn))
    }

    private init(parts: [Part], keyParts: [Int], isIndexed: Bool) {
        self.parts = parts
        self.keyParts = keyParts
        self.isIndexed = isIndexed
    }

    private init(_ key: [Part], reversed: Bool) {
        self.init(
            parts: reversed ? key.map { $0.reversed() } : key, keyParts: Array(key.indices),
            isIndexed: !key.contains(where: \.isStandIn))
    }

    func reversed() -> RowOrder {
        RowOrder(parts: parts.map { $0.reversed() }, keyParts: keyParts, isIndexed: isIndexed)
    }

    /// Returns whether a position is before another one.
    func isOrdered(
        _ db: Database, _ lhs: RowPosition, before rhs: RowPosition
    ) throws -> Bool {
        for (part, (left, right)) in zip(parts, zip(lhs.values, rhs.values)) {
            guard left != right else { continue }
            if left == .null || right == .null { return (left == .null) != part.isDescending }
            let operand = part.collating("?1")
            let stepper = try RowStepper(
                db, "SELECT \(operand) < ?2, \(operand) > ?2", [left, right])
            guard try stepper.step() else { return false }
            if stepper.integer(0) == 1 { return !part.isDescending }
            if stepper.integer(1) == 1 { return part.isDescending }
        }
        return false
    }

    /// Returns whether a position is before another one, if the first values that differ are
    /// integers. Returns `nil` if only the database can compare the positions.
    func comparesNumbers(_ lhs: RowPosition, before rhs: RowPosition) -> Bool? {
        for (part, (left, right)) in zip(parts, zip(lhs.values, rhs.values)) {
            guard left != right else { continue }
            guard case .integer(let left) = left, case .integer(let right) = right else {
                return nil
            }
            return (left < right) != part.isDescending
        }
        return false
    }

    func key(of position: [TableValue]) -> RowKey {
        RowKey(keyParts.map { $0 < position.count ? position[$0] : .null })
    }

    private static func key(of table: TableSchema) throws(TablesError) -> [Part] {
        guard table.hasKeys else {
            throw TablesError(
                .usage, "the rows of \(table.name) have no key to order them by")
        }
        if let rowID = table.rowIDSQL {
            return [Part(sql: rowID, collation: nil, isDescending: false, isNullable: false)]
        }
        let index = table.indices.first { $0.origin == .primaryKey }
        return table.primaryKey.map { column in
            let part = index?.parts.first { SQLName.areSame($0.column ?? "", column.name) }
            let collation = part?.collation ?? "BINARY"
            return Part(
                sql: SQLName.quoted(column.name), collation: collation,
                isDescending: part?.isDescending ?? false, isNullable: true,
                isStandIn: table.lacks(collation))
        }
    }

    /// Returns whether the column is an alias of the rowid.
    private static func isRowID(_ column: ColumnSchema, of table: TableSchema) -> Bool {
        guard let rowID = table.rowID else { return false }
        if SQLName.areSame(rowID, column.name) { return true }
        return table.rowIDColumn.map { SQLName.areSame($0.name, column.name) } ?? false
    }

    private static func orders(
        _ index: IndexSchema, by column: String, in table: TableSchema
    ) -> Bool {
        table.usesIndices && !index.isPartial
            && index.parts.allSatisfy { $0.column != nil && !table.lacks($0.collation) }
            && SQLName.areSame(index.parts.first?.column ?? "", column)
    }
}

extension TableSchema {
    fileprivate func lacks(_ collation: String) -> Bool {
        missingCollations.contains { SQLName.areSame($0, collation) }
    }
}
