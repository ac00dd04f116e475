import Replication
import Tables

extension TableRowsSource {
    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        guard let field, let column = table.column(field.property), column.schema.isWritable,
            let key = TableGrid.key(row, of: table)
        else { return nil }
        return try await database.run { [self] _ in
            guard let value = try value(column, of: key) else { return nil }
            return TypedText(value, column)
        }
    }

    private func value(_ column: NamedTable.Column, of key: RowKey) throws -> TableValue? {
        try database.file.read {
            try RowWalk(table.schema).values($0, of: key, [column.schema.name])?.first
        }.0
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        try await database.run { [self] _ in
            do {
                return try preview(of: edit)
            } catch let error as TablesError {
                throw EditError(error)
            }
        }
    }

    private func preview(of edit: Edit) throws -> EditPreview {
        switch edit {
        case .set(let row, let field, let text):
            return try change(row, field, edit) {
                try text.tableValue(
                    for: $0, replacing: $1, counting: database.epoch(of: $0, in: table))
            }
        case .add(let name, nil, nil, let text): return try adding(name, text, edit)
        case .remove(let rows, nil): return try deleting(rows, edit)
        case .remove(let rows, let field?):
            guard let row = rows.first else { throw EditError(.notFound, "no row is selected") }
            return try change(row, field, edit) { _, _ in .null }
        case .rename(let row, nil, let name):
            guard let column = nameColumn else { throw EditError(.unsupported, Self.noName) }
            return try change(row, FieldPath(column.name), edit) {
                let isInteger = $0.schema.affinity == .integer && Int64(name) != nil
                return try TypedText(isInteger ? .integer : .string, name)
                    .tableValue(for: $0, replacing: $1)
            }
        case .revert(let written): return try database.preview(undoing: written, edit)
        default: throw EditError(.unsupported, "rows of tables don't support this edit")
        }
    }

    /// The column that names the rows. This is the first column, if no other column belongs to the
    /// primary key.
    private var nameColumn: NamedTable.Column? {
        let key = table.schema.primaryKey
        guard table.entity == nil, key.count == 1, let first = table.columns.first,
            first.schema == key[0], first.schema.isWritable, !grid.showsKey
        else { return nil }
        return first
    }

    private static let noName =
        "rows can be renamed only if the first column is the whole primary key: edit the columns "
        + "in the inspector"

    /// The reason why rows can't be renamed in this table; `nil` if they can.
    var renaming: Availability? { nameColumn == nil ? .unavailable(because: Self.noName) : nil }

    private static func areSame(_ lhs: NamedTable.Column, _ rhs: NamedTable.Column) -> Bool {
        SQLName.areSame(lhs.schema.name, rhs.schema.name)
    }

    /// Returns the preview of a new row with one value, in the column `name`. If `name` is empty,
    /// `text` is a JSON object with the row's values.
    private func adding(_ name: String, _ text: TypedText, _ edit: Edit) throws -> EditPreview {
        var values: [(column: NamedTable.Column, value: TableValue)] = []
        if name.isEmpty {
            guard let members = TableValue.members(ofJSONText: text.text) else {
                throw EditError(.invalid, "without a column, the value must be \(exampleOfValues)")
            }
            for (name, value) in members {
                let column = try column(name)
                guard let value else {
                    throw EditError(
                        .invalid,
                        "\(column.name) takes a number, a string, null or {\"$data\": \"BASE64\"}")
                }
                guard !values.contains(where: { Self.areSame($0.column, column) }) else {
                    throw EditError(.invalid, "\(column.name) is set twice")
                }
                values.append((column, value))
            }
        } else {
            let column = try column(name)
            let value = try text.tableValue(
                for: column, replacing: nil, counting: database.epoch(of: column, in: table))
            values.append((column, value))
        }
        // Values in JSON have explicit types.
        let hasTypes = name.isEmpty
        for (column, value) in values {
            try column.schema.check(value, replacing: nil, acceptsAnyType: hasTypes)
        }
        let missing = neededColumns.filter { needed in
            !values.contains { Self.areSame($0.column, needed) }
        }
        guard missing.isEmpty else {
            let names = missing.map(\.name).joined(separator: ", ")
            throw EditError(
                .invalid,
                "\(names) also \(missing.count == 1 ? "needs" : "need") a value: leave the column "
                    + "empty and type \(exampleOfValues)")
        }
        var change = try table.insert(values.map { .init($0.column.schema.name, $0.value) })
        change.acceptsAnyType = hasTypes
        return try database.preview(
            [change], edit,
            values.map { column, value in
                .init(
                    subject: column.name, old: nil, new: .init(TableGrid.text(value, column, nil)))
            })
    }

    /// The columns that need a value in a new row.
    private var neededColumns: [NamedTable.Column] {
        table.columns.filter { column in
            column.schema.isNotNull && column.schema.defaultSQL == nil && column.schema.isWritable
                && column.schema != table.schema.rowIDColumn
        }
    }

    private var exampleOfValues: String {
        let columns =
            neededColumns.isEmpty ? table.columns.filter(\.schema.isWritable) : neededColumns
        let members = columns.prefix(3).map { JSONValue.string($0.name).line + ": …" }
        return "a JSON object: {\(members.joined(separator: ", "))}"
    }

    /// Returns the preview of deleting rows. The deletion fails if a row has changed since then.
    private func deleting(_ rows: [RowID], _ edit: Edit) throws -> EditPreview {
        let keys = try rows.map(key)
        let walk = try RowWalk(table.schema)
        let columns = table.columns.map(\.schema.name)
        let found = try database.file.read { db in
            try keys.map { try walk.values(db, of: $0, columns) }
        }.0
        var changes: [TableChange] = []
        var words: [EditPreview.Change] = []
        for ((row, key), values) in zip(zip(rows, keys), found) {
            guard let values else { throw EditError(.notFound, "the row no longer exists") }
            // Leave out generated values, because they are computed from other values, and can't be
            // read if a function is missing.
            let cells = zip(table.columns, values)
                .filter { $0.schema.isWritable && $1.isLoaded }
                .map { TableChange.Cell($0.schema.name, $1) }
            changes.append(try table.delete(key, expecting: cells))
            let line = TableGrid.line(
                of: values, in: table.columns, epochs: database.epochs(of: table))
            words.append(.init(subject: row.name, old: .init(line), new: nil))
        }
        return try database.preview(changes, edit, words)
    }

    private func change(
        _ row: RowID, _ field: FieldPath?, _ edit: Edit,
        _ make: (NamedTable.Column, TableValue) throws -> TableValue
    ) throws -> EditPreview {
        guard let field else { throw EditError(.unsupported, "select a column in the inspector") }
        let (key, column) = (try key(row), try column(field.property))
        guard let old = try value(column, of: key) else {
            throw EditError(.notFound, "the row no longer exists")
        }
        let new = try make(column, old)
        guard new != old else { throw EditError.sameValue }
        try column.schema.check(new, replacing: old)
        let epoch = database.epoch(of: column, in: table)
        return try database.preview(
            [table.update(key, column, from: old, to: new)], edit,
            [
                .init(
                    subject: column.name, old: .init(TableGrid.text(old, column, epoch)),
                    new: .init(TableGrid.text(new, column, epoch)))
            ])
    }

    private func column(_ name: String) throws -> NamedTable.Column {
        guard let column = table.column(name) else {
            throw EditError(
                .notFound,
                "\(table.name) has no column \(name.quoted): choose one of "
                    + table.columns.prefix(20).map(\.name).joined(separator: ", "))
        }
        return column
    }

    private func key(_ row: RowID) throws -> RowKey {
        guard let key = TableGrid.key(row, of: table) else {
            throw EditError(.notFound, "\(row.name) is not a row of \(table.name)")
        }
        return key
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await database.apply([preview])
    }
}
