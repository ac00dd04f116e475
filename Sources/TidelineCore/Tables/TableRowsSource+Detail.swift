import Foundation
import KeyValueStore
import Replication
import Tables

extension TableRowsSource {
    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let key = TableGrid.key(row, of: table) else { return nil }
        return try await database.run { [self] _ in
            guard let values = try values(of: key) else { return nil }
            var lines: [Detail.Line] = []
            var sections: [Detail.Section] = []
            if grid.showsKey { lines.append(Detail.Line("rowid", key.text, .dim)) }
            for (column, value) in zip(table.columns, values) {
                let epoch =
                    database.epoch(of: column, in: table)
                    ?? (database.isChosen(column.name, in: table)
                        ? nil : Epoch.guess(column: column.schema, values: [value]))
                let line = Detail.Line(
                    column.name, TableGrid.text(value, column, epoch),
                    TableGrid.role(value, isDate: epoch != nil),
                    field: column.schema.isWritable ? FieldPath(column.name) : nil)
                lines.append(line)
                let external = externalContent(of: value, column)
                if case .failure(let error)? = external {
                    lines.append(Detail.Line("", "\(error)", .problem, depth: 1))
                }
                if let epoch, epoch.date(value) != nil {
                    lines.append(Detail.Line("", "\(value.json), \(epoch.title)", .dim, depth: 1))
                }
                if sections.count < 20 {
                    sections += Self.content(of: (try? external?.get()) ?? value, column)
                }
            }
            lines += try links(of: key)
            let name = "\(table.name) \(key.text)"
            return Detail(title: name, sections: [Detail.Section("Row", lines)] + sections)
        }
    }

    /// Returns the value that bytes of a Core Data store represent: the bytes after the marker, or
    /// the contents of the file that the bytes name. Returns `nil` for other values.
    private func externalContent(
        of value: TableValue, _ column: NamedTable.Column
    ) -> Result<TableValue, ReplicationError>? {
        guard case .blob(let data) = value, let external = column.external(data) else { return nil }
        switch external {
        case .inline(let data): return .success(.blob(data))
        case .file(let name):
            let folder = ExternalFolder(of: database.file.path)
            return Result { () throws(ReplicationError) in
                .blob(try folder.content(of: name, limit: RowWalk.defaultLimit))
            }
        }
    }

    /// Returns a line for each many-to-many relationship, with the related objects.
    private func links(of key: RowKey) throws -> [Detail.Line] {
        guard let row = key.rowID, let links = table.entity?.links, !links.isEmpty else {
            return []
        }
        let limit = 200
        return try database.file.read { db in
            try links.map { link in
                let targets = try link.targets(db, of: row, limit: limit)[row] ?? []
                let text = targets.map { "\(link.target) \($0)" }.joined(separator: ", ")
                return Detail.Line(
                    link.name,
                    targets.isEmpty ? "none" : text + (targets.count == limit ? ", …" : ""),
                    .link)
            }
        }.0
    }

    func values(of key: RowKey) throws -> [TableValue]? {
        let columns = table.columns.map(\.schema.name)
        let walk = try RowWalk(table.schema)
        return try database.file.read { try walk.values($0, of: key, columns) }.0
    }

    /// Returns the content of a value if it needs more than one line.
    static func content(of value: TableValue, _ column: NamedTable.Column) -> [Detail.Section] {
        switch value {
        case .text(let text):
            switch BlobContent.kind(ofText: text) {
            case .json(let json): return [section(column, "JSON", lines(of: json))]
            case .propertyList(let list): return [section(column, "property list", lines(of: list))]
            case .archive(let list): return [section(column, "keyed archive", lines(of: list))]
            default:
                guard text.contains("\n") || text.count > 120 else { return [] }
                let parts = text.prefix(20_000).split(
                    separator: "\n", maxSplits: 400, omittingEmptySubsequences: false)
                return [section(column, "text", parts.map { Detail.Line("", String($0), .string) })]
            }
        case .blob(let data):
            let content = BlobContent(data, uuid: column.uuidHint)
            var found: [Detail.Line] = []
            switch content.kind {
            case .propertyList(let list), .archive(let list): found = lines(of: list)
            case .json(let json): found = lines(of: json)
            case .automerge: found = AutomergeCell.lines(of: data)
            default:
                found = content.structure.map {
                    Detail.Line($0.label, $0.text, .plain, depth: $0.depth)
                }
            }
            let hex = bytes(of: data)
            let title = "\(content.title), \(Counted.text(data.count, "byte"))"
            return (found.isEmpty ? [] : [section(column, content.title, found)])
                + (hex.isEmpty ? [] : [section(column, title, hex)])
        default: return []
        }
    }

    /// Returns the first bytes as digits, and the remaining bytes under a folded line.
    private static func bytes(of data: Data) -> [Detail.Line] {
        let shown = 512
        let lines = Detail.Line.hex(data.prefix(shown))
        guard data.count > shown else { return lines }
        var more = Detail.Line("", "\(ByteCount.text(data.count - shown)) more", .dim)
        more.startsFolded = true
        return lines + [more] + Detail.Line.hex(data, from: shown, depth: 1)
    }

    private static func section(
        _ column: NamedTable.Column, _ what: String, _ lines: [Detail.Line]
    ) -> Detail.Section {
        Detail.Section("\(column.name): \(what)", lines)
    }

    static func lines(of list: PropertyList) -> [Detail.Line] {
        var lines: [Detail.Line] = []
        func add(_ label: String, _ list: PropertyList, _ depth: Int) {
            guard lines.count < 500, depth < 40 else { return }
            switch list {
            case .dictionary(let members):
                if !label.isEmpty || depth > 0 {
                    lines.append(
                        Detail.Line(label, "{\(members.count)}", .collection, depth: depth))
                }
                for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                    add(name.text, member, depth + 1)
                }
            case .array(let items):
                lines.append(Detail.Line(label, "[\(items.count)]", .collection, depth: depth))
                for (index, item) in items.enumerated() { add(String(index), item, depth + 1) }
            case .data(let data):
                lines.append(Detail.Line(label, BlobContent(data).summary, .data, depth: depth))
            case .string(let text): lines.append(Detail.Line(label, text, .string, depth: depth))
            default: lines.append(Detail.Line(label, list.description, .number, depth: depth))
            }
        }
        add("", list, 0)
        return lines
    }

    private static func lines(of json: String) -> [Detail.Line] {
        guard let list = try? PropertyList(json: json) else {
            // Show JSON as text if it isn't a property list, for example because it contains null.
            return json.prefix(20_000).split(separator: "\n", maxSplits: 400).map {
                Detail.Line("", String($0), .string)
            }
        }
        return lines(of: list)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let key = TableGrid.key(row, of: table) else { return [] }
        return try await database.run { [self] _ in
            guard let values = try values(of: key) else { return [] }
            let cells = zip(table.columns, values).map { TableChange.Cell($0.schema.name, $1) }
            let members = zip(table.columns, values).map { column, value in
                (Name(column.name), column.json(value))
            }
            return [
                CopyForm("key", key.text),
                CopyForm(
                    "JSON", JSONValue.object(Dictionary(members, uniquingKeysWith: { $1 })).line),
                CopyForm(
                    "SQL",
                    TableChange.insert(
                        table.schema.name,
                        cells.filter { table.schema.column($0.column)?.isWritable == true },
                        key: key
                    ).sql(table.schema, shortened: false) + ";"),
            ]
        }
    }

    /// Returns the list of the rows that the row's references lead to; `nil` if it has none.
    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let key = TableGrid.key(row, of: table) else { return nil }
        return try await database.run { [self] _ in
            guard let values = try values(of: key), let tables = database.tables else { return nil }
            let references = RowReferences(
                of: key, values: values, in: table, among: tables
            ).all
            guard !references.isEmpty else { return nil }
            return RelationsSource(database, "\(table.name) \(key.text)", references)
        }
    }
}
