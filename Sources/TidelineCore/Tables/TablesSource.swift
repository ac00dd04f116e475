import Replication
import Tables

/// The list of a database's tables. Internal tables, which SQLite or an extension created, are
/// grouped into one row per owner.
final class TablesSource: RowSource {
    let database: TableDatabase
    /// The owner of the internal tables in this list; `nil` for the user's tables.
    private let keeper: String?

    init(_ database: TableDatabase, keeper: String? = nil) {
        self.database = database
        self.keeper = keeper
    }

    var info: ListInfo {
        ListInfo(
            keeper ?? "Tables", columns: Self.columns,
            filterFields: Self.schema.filterFields, hasPast: false)
    }

    /// A table, or an owner of internal tables.
    private struct Listed {
        let id: RowID
        let name: RowCell
        let type: RowCell
        let rowCount: RowCell
        let columns: RowCell
        let isDimmed: Bool
    }

    static let columns = schema.columns
    private static let schema = ListSchema<Listed>(
        [
            ListColumn(
                "name", "TABLE", minimumWidth: 14, .name, example: "name:place", cell: \.name),
            ListColumn("type", "TYPE", width: 7, .name, example: "type:view", cell: \.type),
            ListColumn(
                "rows", "ROWS", width: 11, alignment: .trailing, .number, example: "rows>1000",
                cell: \.rowCount),
            ListColumn(
                "columns", "COLUMNS", minimumWidth: 16, isSortable: false, .name,
                example: "columns:title", cell: \.columns),
        ], id: \.id, mark: { $0.isDimmed = $1.isDimmed })

    private var shown: [NamedTable] {
        guard let tables = database.tables else { return [] }
        guard let keeper else { return tables.tables.inNaturalOrder(of: \.name) }
        return tables.kept.filter { $0.keeper == keeper }.inNaturalOrder(of: \.name)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let shown = shown
        database.counts.look(at: shown, of: database)
        var listed = shown.map { table in
            let problem = table.schema.problem
            let count = database.counts[table.name]
            return Listed(
                id: RowID("table/\(table.name)"), name: RowCell(table.name, .key),
                type: RowCell(table.kind, .label),
                rowCount: count.map { RowCell(grouped: $0) }
                    ?? RowCell(problem == nil ? "…" : "", .number, value: .json(.null)),
                columns: problem.map { RowCell($0, .problem) }
                    ?? RowCell(table.columnsAndMissing, .dim),
                isDimmed: problem != nil)
        }
        if keeper == nil, let kept = database.tables?.kept {
            for (keeper, tables) in Dictionary(grouping: kept, by: { $0.keeper ?? "" })
                .sorted(by: { $0.key < $1.key })
            {
                listed.append(
                    Listed(
                        id: RowID("keeper/\(keeper)"), name: RowCell("▸ \(keeper)", .dim),
                        type: RowCell("tables", .dim), rowCount: RowCell("", .number),
                        columns: RowCell(tables.map(\.name).joined(separator: ", "), .dim),
                        isDimmed: true))
            }
        }
        return try await ItemList(listed, Self.schema).arrangedWindow(request)
    }

    private func table(_ row: RowID) -> NamedTable? {
        guard row.name.hasPrefix("table/") else { return nil }
        return database.tables?.table(String(row.name.dropFirst(6)))
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        if row.name.hasPrefix("keeper/") {
            return TablesSource(database, keeper: String(row.name.dropFirst(7)))
        }
        guard let table = table(row) else { return nil }
        if let problem = table.schema.problem { throw CoreError(.badData, problem) }
        return try await database.run { [database] isCancelled in
            try TableLists.rows(of: table, in: database, isCancelled: isCancelled)
        }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let table = table(row), let schema = database.tables?.schema else { return nil }
        return TableDescription.detail(of: table, in: schema)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let table = table(row) else { return [] }
        return [CopyForm("name", table.name)]
            + (table.schema.sql.map { [CopyForm("SQL", $0)] } ?? [])
    }
}

/// The inspector's content for a table.
enum TableDescription {
    static func detail(of table: NamedTable, in schema: DatabaseSchema) -> Detail {
        func lines(_ texts: String?..., role: TextRole) -> [Detail.Line] {
            texts.compactMap(\.self).map { Detail.Line("", $0, role) }
        }
        let relationships =
            (table.entity?.links ?? []).map { link in
                Detail.Line(
                    link.name,
                    "⇄ \(link.target)" + (link.order == nil ? "" : ", ordered"), .link)
            }
            + (table.entity?.collections ?? []).map { collection in
                Detail.Line(
                    collection.name,
                    "← \(collection.target)" + (collection.order == nil ? "" : ", ordered"), .link)
            }
        let keys = table.schema.foreignKeys.map { key in
            Detail.Line(
                key.columns.joined(separator: ", "),
                "→ \(key.target) (\(schema.targetColumns(of: key)?.joined(separator: ", ") ?? "?"))"
                    + (key.onDelete == "NO ACTION"
                        ? "" : ", on delete \(key.onDelete.lowercased())"),
                .link)
        }
        let incoming = schema.references(to: table.schema).map { key in
            Detail.Line(key.table, "\(key.columns.joined(separator: ", ")) → here", .link)
        }
        let indices = table.schema.indices.map { index in
            let parts = index.parts.map { part in
                (part.column ?? "(expression)") + (part.isDescending ? " desc" : "")
            }
            let words = [index.isUnique ? "unique" : nil, index.isPartial ? "partial" : nil]
                .compactMap { $0 }
            return Detail.Line(
                index.name, (parts.joined(separator: ", ") + " " + words.joined(separator: " ")))
        }
        let triggers = table.schema.triggers.map { Detail.Line($0.name, $0.sql, .dim) }
        let sections = [
            Detail.Section("Problem", lines(table.schema.problem, role: .problem)),
            Detail.Section("Note", lines(table.readingNote, table.writingNote, role: .problem)),
            Detail.Section("Columns", table.columns.map(line)),
            Detail.Section("Relationships", relationships),
            Detail.Section("References", keys + incoming),
            Detail.Section("Indexes", indices), Detail.Section("Triggers", triggers),
            Detail.Section("SQL", lines(table.schema.sql, role: .dim)),
        ]
        return Detail(title: table.name, sections: sections.filter { !$0.lines.isEmpty })
    }

    private static func line(_ column: NamedTable.Column) -> Detail.Line {
        var words = [column.attributeType?.rawValue ?? column.schema.declaredType]
        if column.schema.name != column.name { words.append("(\(column.schema.name))") }
        if column.schema.primaryKeyPosition > 0 { words.append("primary key") }
        if column.schema.isNotNull { words.append("not null") }
        if let value = column.schema.defaultSQL { words.append("default \(value)") }
        switch column.schema.storage {
        case .ordinary: break
        case .hidden: words.append("hidden")
        case .generatedStored, .generatedVirtual: words.append("generated")
        }
        if let target = column.target { words.append("→ \(target)") }
        return Detail.Line(column.name, words.filter { !$0.isEmpty }.joined(separator: " "), .label)
    }
}
