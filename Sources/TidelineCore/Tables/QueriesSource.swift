import Foundation
import Replication
import Synchronization
import Tables

/// The list of the user's queries of a database. A query runs as typed, and opens as the list of
/// its results. After that, the user can save it under a name. A query that isn't saved exists only
/// in the session. The inspector shows the plan of a query.
final class QueriesSource: RowSource {
    private let database: TableDatabase
    private let kept: SavedQueries?
    private let entries: Mutex<[Entry]>
    /// The queries that ran or failed, oldest first.
    private let typed: Mutex<[String]>
    private static let typedLimit = 200
    /// The tables that queries can name, in one state of the file.
    private let named = Mutex(NamedTables())

    private struct NamedTables: Sendable {
        var stamp: FileStamp?
        var tables: [QueryWords.Table] = []
    }

    /// A query in the form that was last run, and in the saved form.
    private struct Entry: Sendable {
        var query: SavedQuery
        /// The saved form; `nil` if the query isn't saved.
        var kept: SavedQuery?

        /// Whether the query is saved, in words.
        var state: String {
            guard let kept else { return "not kept" }
            return kept.sql == query.sql ? "kept" : "changed"
        }
    }

    /// Creates the list.
    ///
    /// - Parameter kept: The file for saved queries; `nil` to keep queries only while the database
    ///   is open.
    init(_ database: TableDatabase, keptIn kept: SavedQueries?) {
        self.database = database
        self.kept = kept
        // An unreadable file of queries doesn't prevent showing the tables.
        let queries = (try? kept?.queries()) ?? []
        entries = Mutex(queries.map { Entry(query: $0, kept: $0) })
        typed = Mutex(queries.map(\.sql))
    }

    static let columns = schema.columns
    private static let schema = ListSchema<Entry>(
        [
            ListColumn("name", "QUERY", minimumWidth: 10, .name, example: "name:recent") {
                RowCell($0.query.name, .key)
            },
            ListColumn("sql", "SQL", minimumWidth: 30, .name, example: "sql:select") {
                RowCell($0.query.line, .string)
            },
            ListColumn("state", "STATE", width: 8, .text, example: "state:kept") {
                RowCell($0.state, $0.kept?.sql == $0.query.sql ? .dim : .label)
            },
        ], id: \.query.row)

    var info: ListInfo {
        var info = ListInfo(
            "Queries", columns: Self.columns, filterFields: Self.schema.filterFields,
            edits: [
                .add: .available, .set: .available, .rename: .available, .remove: .available,
            ], valueKinds: [.string], addForm: AddForm(name: "name of the query", value: "SQL"),
            hasPast: false, whyNoAlert: "queries are your own; no device writes them")
        info.holdsQueries = true
        info.queryWords = QueryWords(tables: tables, typed: typed.withLock { $0 })
        return info
    }

    /// The tables that a query can name. In a Core Data store, these aren't the entities.
    private var tables: [QueryWords.Table] {
        let stamp = database.stamp
        guard let schema = database.tables?.schema else { return [] }
        return named.withLock { named in
            if named.stamp != stamp || named.stamp == nil {
                named.stamp = stamp
                named.tables = schema.tables.map { table in
                    QueryWords.Table(table.name, columns: table.columns.map(\.name))
                }
            }
            return named.tables
        }
    }

    /// Remembers a typed query, so that the user can return to it.
    private func remember(_ text: String) {
        typed.withLock { typed in
            typed.removeAll { $0 == text }
            typed = typed.suffix(Self.typedLimit - 1) + [text]
        }
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        try await ItemList(entries.withLock { $0 }, Self.schema).arrangedWindow(request)
    }

    private func entry(_ row: RowID) -> Entry? {
        entries.withLock { $0 }.first { $0.query.row == row }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let query = entry(row)?.query else { return nil }
        return Detail(
            title: query.title,
            sections: [
                Detail.Section("SQL", [Detail.Line("", query.sql, .string)]),
                Detail.Section("Plan", try await planLines(of: query.sql)),
            ])
    }

    private func planLines(of sql: String) async throws -> [Detail.Line] {
        do {
            let (steps, _) = try await database.read { try ReadOnlyQuery(sql).plan($0) }
            return steps.map { Detail.Line("", $0.detail, depth: $0.depth) }
        } catch let error as TablesError {
            return [Detail.Line("", error.message, .problem)]
        }
    }

    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        entry(row).map { TypedText(.string, $0.query.sql) }
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        entry(row).map { [CopyForm("SQL", $0.query.sql)] } ?? []
    }

    // MARK: Running

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let query = entry(row)?.query else { return nil }
        return try await results(of: query)
    }

    private func results(of query: SavedQuery) async throws -> QueryResultSource {
        try await database.run { [database] isCancelled in
            let result = QueryResultSource(database, query.title, query.sql)
            try result.load(isCancelled)
            return result
        }
    }

    func run(
        _ text: String, of row: RowID?
    ) async throws -> (row: RowID, results: any RowSource) {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw EditError(.invalid, "type a query first, such as SELECT * FROM a table")
        }
        remember(text)
        // If the same query is run again, use the same row.
        let known = row.flatMap(entry) ?? entries.withLock { $0.first { $0.query.sql == text } }
        var query = known?.query ?? SavedQuery(name: "", sql: text)
        query.sql = text
        let results: QueryResultSource
        do {
            results = try await self.results(of: query)
        } catch let error as TablesError {
            database.emit(.loaded)
            let advice = database.tables?.advice(on: error).map { ": \($0)" }
            throw EditError(.invalid, error.message + (advice ?? ""))
        }
        put(Entry(query: query, kept: known?.kept))
        database.emit(.loaded)
        return (query.row, results)
    }

    /// Replaces or adds the entry of a query.
    private func put(_ entry: Entry) {
        entries.withLock { entries in
            if let index = entries.firstIndex(where: { $0.query.id == entry.query.id }) {
                entries[index] = entry
            } else {
                entries.append(entry)
            }
        }
    }

    // MARK: Keeping

    func preview(_ edit: Edit) async throws -> EditPreview {
        var file = kept?.path
        let summary: String
        let changes: [EditPreview.Change]
        switch edit {
        case .rename(let row, nil, let name):
            let entry = try existing(row)
            if name.isEmpty, entry.kept == nil {
                throw EditError(.invalid, "type a name for the query")
            }
            if entry.state == "kept", entry.kept?.name == name {
                throw EditError(.unchanged, "the query already has this name")
            }
            let before = entry.kept.map { EditPreview.Value($0.sql) }
            summary =
                name.isEmpty
                ? "\(EditVerb.delete) the query \(entry.query.title)"
                : "\(EditVerb.save) the query \(name)"
            changes = [
                .init(
                    subject: "SQL", old: before,
                    new: name.isEmpty ? nil : .init(entry.query.sql))
            ]
        case .set(let row, Self.keptField?, let text):
            let query = try Self.keptQuery(text)
            summary = "\(EditVerb.save) the query \(query.name)"
            changes = [
                .init(
                    subject: "SQL", old: try existing(row).kept.map { .init($0.sql) },
                    new: .init(query.sql))
            ]
        case .remove(let rows, Self.keptField?):
            summary = "\(EditVerb.delete) \(Counted.text(rows.count, "query", "queries"))"
            changes = rows.compactMap(entry).compactMap(\.kept).map {
                .init(subject: $0.title, old: .init($0.sql), new: nil)
            }
        case .set(let row, nil, let text):
            let entry = try existing(row)
            summary = "\(EditVerb.save) the query \(entry.query.title)"
            changes = [
                .init(subject: "SQL", old: .init(entry.query.sql), new: .init(text.text))
            ]
        case .add(let name, nil, nil, let text):
            if name.isEmpty { file = nil }
            summary = "\(EditVerb.save) the query \(name.isEmpty ? text.text : name)"
            changes = [.init(subject: "SQL", old: nil, new: .init(text.text))]
        case .remove(let rows, nil):
            let removed = rows.compactMap(entry)
            if removed.allSatisfy({ $0.kept == nil }) { file = nil }
            summary = "\(EditVerb.delete) \(Counted.text(rows.count, "query", "queries"))"
            changes = removed.map {
                .init(subject: $0.query.title, old: .init(($0.kept ?? $0.query).sql), new: nil)
            }
        default: throw EditError(.unsupported, "queries don't support this edit")
        }
        return EditPreview(edit: edit, summary: summary, changes: changes, file: file)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        var rows: [RowID] = []
        var undo: [Edit] = []
        switch preview.edit {
        case .rename(let row, _, let name):
            let entry = try existing(row)
            try keep(entry.query, named: name)
            rows = [row]
            undo = [Self.keeping(entry.kept, in: row)]
        case .set(let row, Self.keptField?, let text):
            undo = [Self.keeping(try existing(row).kept, in: row)]
            try keepOnly(try Self.keptQuery(text), in: row)
            rows = [row]
        case .remove(let removed, Self.keptField?):
            for row in removed {
                undo.append(Self.keeping(try existing(row).kept, in: row))
                try keepOnly(nil, in: row)
            }
            rows = removed
        case .set(let row, _, let text):
            let entry = try existing(row)
            var query = entry.query
            query.sql = text.text
            try keep(query, named: query.name)
            rows = [row]
            undo = [.set(row, field: nil, TypedText(.string, entry.query.sql))]
        case .add(let name, _, _, let text):
            let query = SavedQuery(name: name, sql: text.text)
            try keep(query, named: name)
            rows = [query.row]
            undo = [.remove(rows, field: nil)]
        case .remove(let removed, _):
            for entry in removed.compactMap(entry) {
                if entry.kept != nil { try write(entry.query, isForgotten: true) }
                entries.withLock { $0.removeAll { $0.query.id == entry.query.id } }
                undo.append(
                    .add(
                        name: entry.kept?.name ?? "", parent: nil,
                        TypedText(.string, (entry.kept ?? entry.query).sql)))
            }
        default: break
        }
        database.emit(.loaded)
        return AppliedEdit(summary: preview.summary, date: Date(), rows: rows, undo: undo)
    }

    /// The field for the saved form of a query. Changing this field doesn't change a text that was
    /// run but not saved.
    private static let keptField = FieldPath("kept")

    /// Returns the edit that restores a saved query, or that removes it if `query` is `nil`.
    private static func keeping(_ query: SavedQuery?, in row: RowID) -> Edit {
        guard let query else { return .remove([row], field: keptField) }
        let json: JSONValue = ["name": .string(query.name), "sql": .string(query.sql)]
        return .set(row, field: keptField, TypedText(.json, json.line))
    }

    private static func keptQuery(_ text: TypedText) throws(EditError) -> SavedQuery {
        struct Kept: Decodable {
            let name: String
            let sql: String
        }
        guard let kept = try? JSONDecoder().decode(Kept.self, from: Data(text.text.utf8)) else {
            throw EditError(.invalid, "a saved query needs a name and SQL")
        }
        return SavedQuery(name: kept.name, sql: kept.sql)
    }

    /// Changes the saved form of a query. If another text was run after saving, that text stays.
    private func keepOnly(_ kept: SavedQuery?, in row: RowID) throws(EditError) {
        var entry = try existing(row)
        var query = kept ?? entry.kept ?? entry.query
        query.id = entry.query.id
        if kept != nil || entry.kept != nil { try write(query, isForgotten: kept == nil) }
        entry.query.name = kept?.name ?? ""
        if let kept, entry.query.sql == entry.kept?.sql { entry.query.sql = kept.sql }
        entry.kept = kept.map { _ in query }
        put(entry)
    }

    private func existing(_ row: RowID) throws(EditError) -> Entry {
        guard let entry = entry(row) else { throw EditError(.notFound, "the query was deleted") }
        return entry
    }

    /// Saves a query under a name. An empty name removes the query from the file.
    private func keep(_ query: SavedQuery, named name: String) throws(EditError) {
        let wasKept = entry(query.row)?.kept != nil
        var query = query
        query.name = name
        if wasKept || !name.isEmpty { try write(query, isForgotten: name.isEmpty) }
        put(Entry(query: query, kept: name.isEmpty ? nil : query))
    }

    private func write(_ query: SavedQuery, isForgotten: Bool) throws(EditError) {
        var query = query
        query.isForgotten = isForgotten
        do {
            try kept?.keep(query)
        } catch {
            let reason = String.reason(of: error)
            throw EditError(.notWritten, "can't save the query: \(reason)")
        }
    }
}

extension SavedQuery {
    /// The name, or the start of the SQL.
    fileprivate var title: String {
        if !name.isEmpty { return name }
        return line.count > 40 ? line.prefix(39) + "…" : line
    }

    /// The SQL in one line.
    fileprivate var line: String {
        sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
