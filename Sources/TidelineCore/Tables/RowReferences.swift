import Tables

/// The references from a row to other rows, and from other rows to it.
struct RowReferences {
    /// A reference: the rows of a table that match a condition.
    struct Reference: Sendable {
        /// `author → author`, `book.author`.
        let name: String
        let table: NamedTable
        let condition: RowCondition
        let isIncoming: Bool
        /// The order of the rows; `nil` for the order of their keys.
        var order: RowSelection.Sort?
    }

    let all: [Reference]

    /// Finds the references of a row.
    ///
    /// - Parameter values: One value per column of the table.
    init(
        of key: RowKey, values loaded: [TableValue], in table: NamedTable,
        among tables: DatabaseTables
    ) {
        var cells: [String: TableValue] = [:]
        for (column, value) in zip(table.columns, loaded) {
            cells[column.schema.name.lowercased()] = value
        }
        func values(_ columns: [String]) -> [TableValue]? {
            let found = columns.compactMap { cells[$0.lowercased()] }
            guard found.count == columns.count, !found.contains(TableValue.null) else { return nil }
            return found
        }
        if table.entity != nil {
            all = Self.relationships(of: key, values, in: table, among: tables)
            return
        }
        let outgoing = table.schema.foreignKeys.compactMap { foreign -> Reference? in
            guard let target = tables.table(foreign.target), let found = values(foreign.columns),
                let columns = tables.schema.targetColumns(of: foreign)
            else { return nil }
            return Reference(
                name: "\(foreign.columns.joined(separator: ", ")) → \(target.name)", table: target,
                condition: .columns(columns, equal: found), isIncoming: false)
        }
        let incoming = tables.schema.references(to: table.schema).compactMap {
            foreign -> Reference? in
            guard let source = tables.table(foreign.table),
                let columns = tables.schema.targetColumns(of: foreign), let found = values(columns)
            else { return nil }
            return Reference(
                name: "\(source.name).\(foreign.columns.joined(separator: ", "))", table: source,
                condition: .columns(foreign.columns, equal: found), isIncoming: true)
        }
        all = outgoing + incoming
    }

    /// Returns the references between Core Data entities, which refer to objects by number.
    private static func relationships(
        of key: RowKey, _ values: ([String]) -> [TableValue]?, in table: NamedTable,
        among tables: DatabaseTables
    ) -> [Reference] {
        let outgoing = table.columns.compactMap { column -> Reference? in
            guard let target = column.target.flatMap(tables.table),
                let found = values([column.schema.name])
            else { return nil }
            return Reference(
                name: "\(column.name) → \(target.name)", table: target,
                condition: .columns(["Z_PK"], equal: found), isIncoming: false)
        }
        let collections = (table.entity?.collections ?? []).compactMap { collection -> Reference? in
            guard let target = tables.table(collection.target) else { return nil }
            return Reference(
                name: "\(collection.name) ← \(target.name)", table: target,
                condition: .columns([collection.column], equal: key.values), isIncoming: false,
                order: collection.order.map { .init($0) })
        }
        /// Whether a relationship of the row's entity already leads to the objects.
        func isKnown(_ source: NamedTable, _ column: NamedTable.Column) -> Bool {
            table.entity?.collections.contains { collection in
                SQLName.areSame(collection.target, source.name)
                    && SQLName.areSame(collection.column, column.schema.name)
            } ?? false
        }
        let incoming = tables.tables.flatMap { source -> [Reference] in
            let parent = source.entity?.parent.flatMap { number in
                tables.tables.first { $0.entity?.number == number }
            }
            let inherited = parent?.columns.map(\.schema.name) ?? []
            return source.columns.compactMap { column -> Reference? in
                guard let target = column.target.flatMap(tables.table),
                    SQLName.areSame(target.schema.name, table.schema.name),
                    !inherited.contains(column.schema.name), !isKnown(source, column)
                else { return nil }
                let order = source.schema.column("Z_FOK_\(column.schema.name.dropFirst())")
                return Reference(
                    name: "\(source.name).\(column.name)", table: source,
                    condition: .columns([column.schema.name], equal: key.values), isIncoming: true,
                    order: order.map { .init($0.name) })
            }
        }
        let links = (table.entity?.links ?? []).compactMap { link -> Reference? in
            guard let target = tables.table(link.target), let row = key.rowID else { return nil }
            return Reference(
                name: "\(link.name) → \(target.name)", table: target,
                condition: link.condition(from: row), isIncoming: false,
                order: link.order(from: row))
        }
        return outgoing + links + collections + incoming
    }
}
