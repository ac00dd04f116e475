import Foundation
import Replication
import Tables

/// The values that an editor offers for a row: values of referenced rows, and of a row to copy.
extension TableRowsSource {
    /// The maximum number of referenced rows to choose from.
    private static let choiceLimit = 200

    func choices(
        for field: FieldPath, matching text: String, current: TypedText?
    ) async throws -> ValueChoices? {
        try await database.run { [self] _ in
            guard let column = table.column(field.property),
                let tables = database.tables,
                let (target, key) = Self.reference(of: column, in: table, among: tables)
            else { return nil }
            let words = text.trimmingCharacters(in: .whitespaces)
            let condition =
                words.isEmpty ? nil : try TableFilter(Self.quoted(words), target).condition
            let columns = [key] + target.columns.map(\.schema.name)
            func rows(where condition: RowCondition?, limit: Int) throws -> [TableRow] {
                try database.file.read {
                    try RowWalk(target.schema, target.selection(where: condition))
                        .rows($0, columns: columns, limit: limit)
                }.0
            }
            let found = try rows(where: condition, limit: Self.choiceLimit + 1)
            let isCut = found.count > Self.choiceLimit
            var shown = Array(found.prefix(Self.choiceLimit))
            let isListed = shown.contains { row in
                row.values.first.flatMap { TypedText($0, column) }?.text == current?.text
            }
            if words.isEmpty, !isListed,
                let value = try? current?.tableValue(for: column, replacing: nil), value != .null
            {
                let condition = RowCondition("\(SQLName.quoted(key)) = ?", [value])
                shown.insert(contentsOf: try rows(where: condition, limit: 1), at: 0)
            }
            let epochs = database.epochs(of: target)
            let others = target.columns.filter { !SQLName.areSame($0.schema.name, key) }
            return ValueChoices(
                title: isCut ? "\(target.name): first \(Self.choiceLimit) rows" : target.name,
                choices: shown.compactMap { row in
                    guard let value = row.values.first, value != .null,
                        let typed = TypedText(value, column)
                    else { return nil }
                    let named = zip(target.columns, row.values.dropFirst())
                        .filter { !SQLName.areSame($0.0.schema.name, key) }
                    let line =
                        others.isEmpty
                        ? ""
                        : TableGrid.line(
                            of: named.map(\.1), in: named.map(\.0), epochs: epochs)
                    return ValueChoice(value: typed, title: "\(typed.text)  \(line)")
                }, isCut: isCut)
        }
    }

    /// Returns the target of a column's references: a table, and one of its columns. The references
    /// are a foreign key, or a relationship of Core Data.
    private static func reference(
        of column: NamedTable.Column, in table: NamedTable, among tables: DatabaseTables
    ) -> (target: NamedTable, key: String)? {
        if table.entity != nil { return column.target.flatMap(tables.table).map { ($0, "Z_PK") } }
        for foreign in table.schema.foreignKeys {
            guard
                let position = foreign.columns.firstIndex(where: {
                    SQLName.areSame($0, column.schema.name)
                }), let target = tables.table(foreign.target), target.schema.hasKeys,
                let keys = tables.schema.targetColumns(of: foreign), keys.indices.contains(position)
            else { continue }
            return (target, keys[position])
        }
        return nil
    }

    func template(of row: RowID) async throws -> TypedText? {
        guard let key = TableGrid.key(row, of: table) else { return nil }
        return try await database.run { [self] _ in
            // The database assigns a new rowid.
            let columns = table.columns.filter {
                $0.schema.isWritable && $0.schema != table.schema.rowIDColumn
            }
            let found = try database.file.read {
                try RowWalk(table.schema).values($0, of: key, columns.map(\.schema.name))
            }.0
            guard let values = found else { return nil }
            if let unread = zip(columns, values).first(where: { !$1.isLoaded }) {
                throw EditError(.unsupported, "\(unread.0.name) is too long to be duplicated here")
            }
            let members = zip(columns, values).map { column, value in
                "\(JSONValue.string(column.name).line): \(value.json)"
            }
            return TypedText(.json, "{\(members.joined(separator: ",\n "))}")
        }
    }
}

extension TableRowsSource: AtomicEditing {
    func applyTogether(_ previews: [EditPreview]) async throws -> AppliedEdit {
        try await database.apply(previews)
    }
}
