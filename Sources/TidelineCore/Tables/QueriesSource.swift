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

        /// The saved form or, if the query isn't saved, the form that was last run.
        var known: SavedQuery { kept ?? query }

        /// Whether the query is saved, in words.
        var state: String {
            guard let kept else { return "not saved" }
            return kept.sql == query.sql ? "saved" : "changed"
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
            ListColumn("state", "STATE", width: 9, .text, example: "state:saved") {
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

    /// The tables that a query can name, with their names in the file, even in a Core Data store.
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

    /// A change of one query.
    private struct Step {
        /// `nil` for a new query.
        var before: Entry?
        /// `nil` if the query is removed.
        var after: Entry?
        /// The edit that undoes the change.
        var undo: Edit
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        let plan = try self.plan(edit)
        let isSaved = plan.action.contains { ($0.before?.kept ?? $0.after?.kept) != nil }
        return plan.preview(of: edit, as: nil, in: isSaved ? kept?.path : nil)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        let steps = try plan(preview.edit).action
        for step in steps { try write(step) }
        database.emit(.loaded)
        return AppliedEdit(
            summary: preview.summary, date: Date(), rows: steps.compactMap(\.after?.query.row),
            undo: steps.map(\.undo))
    }

    private func plan(_ edit: Edit) throws(EditError) -> EditPlan<[Step]> {
        switch edit {
        case .rename(let row, nil, let name):
            let entry = try existing(row)
            if name.isEmpty, entry.kept == nil {
                throw EditError(.invalid, "type a name for the query")
            }
            if entry.state == "saved", entry.kept?.name == name {
                throw EditError(.unchanged, "the query already has this name")
            }
            var query = entry.query
            query.name = name
            let after = Entry(query: query, kept: query.named)
            let undo = Self.keeping(entry.kept, in: row)
            return EditPlan(
                summary: name.isEmpty
                    ? "\(EditVerb.delete) the query \(entry.query.title)"
                    : "\(EditVerb.save) the query \(name)",
                changes: [Self.change(of: entry.kept, to: after.kept)],
                action: [Step(before: entry, after: after, undo: undo)])
        case .set(let row, Self.keptField?, let text):
            let (entry, query) = (try existing(row), try Self.keptQuery(text))
            return EditPlan(
                summary: "\(EditVerb.save) the query \(query.name)",
                changes: [Self.change(of: entry.kept, to: query)],
                action: [Self.step(from: entry, keeping: query)])
        case .remove(let rows, Self.keptField?):
            let entries = try rows.map(existing)
            return EditPlan(
                summary: Self.summary(ofRemoving: rows),
                changes: entries.compactMap(\.kept).map {
                    .init(subject: $0.title, old: .init($0.sql), new: nil)
                }, action: entries.map { Self.step(from: $0, keeping: nil) })
        case .set(let row, nil, let text):
            let entry = try existing(row)
            var query = entry.query
            query.sql = text.text
            let after = Entry(query: query, kept: query.named)
            let undo = Edit.set(row, field: nil, TypedText(.string, entry.query.sql))
            return EditPlan(
                summary: "\(EditVerb.save) the query \(entry.query.title)",
                changes: [Self.change(of: entry.query, to: query)],
                action: [Step(before: entry, after: after, undo: undo)])
        case .add(let name, nil, nil, let text):
            let query = SavedQuery(name: name, sql: text.text)
            let after = Entry(query: query, kept: query.named)
            let undo = Edit.remove([query.row], field: nil)
            return EditPlan(
                summary: "\(EditVerb.save) the query \(name.isEmpty ? text.text : name)",
                changes: [Self.change(of: nil, to: query)],
                action: [Step(before: nil, after: after, undo: undo)])
        case .remove(let rows, nil):
            let entries = rows.compactMap(entry)
            return EditPlan(
                summary: Self.summary(ofRemoving: rows),
                changes: entries.map {
                    .init(subject: $0.query.title, old: .init($0.known.sql), new: nil)
                },
                action: entries.map { entry in
                    let sql = TypedText(.string, entry.known.sql)
                    return Step(
                        before: entry, after: nil,
                        undo: .add(name: entry.kept?.name ?? "", parent: nil, sql))
                })
        default: throw EditError(.unsupported, "queries don't support this edit")
        }
    }

    private static func summary(ofRemoving rows: [RowID]) -> String {
        "\(EditVerb.delete) \(Counted.text(rows.count, "query", "queries"))"
    }

    private static func change(of old: SavedQuery?, to new: SavedQuery?) -> EditPreview.Change {
        .init(subject: "SQL", old: old.map { .init($0.sql) }, new: new.map { .init($0.sql) })
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

    /// Returns the step that changes the saved form of a query. If another text was run after
    /// saving, that text stays.
    private static func step(from entry: Entry, keeping kept: SavedQuery?) -> Step {
        var after = entry
        after.query.name = kept?.name ?? ""
        if let kept, entry.query.sql == entry.kept?.sql { after.query.sql = kept.sql }
        after.kept = kept
        after.kept?.id = entry.query.id
        return Step(before: entry, after: after, undo: keeping(entry.kept, in: entry.query.row))
    }

    private func existing(_ row: RowID) throws(EditError) -> Entry {
        guard let entry = entry(row) else { throw EditError(.notFound, "the query was deleted") }
        return entry
    }

    private func write(_ step: Step) throws(EditError) {
        if var query = step.after?.kept ?? step.before?.kept {
            query.isForgotten = step.after?.kept == nil
            do {
                try kept?.keep(query)
            } catch {
                let reason = String.reason(of: error)
                throw EditError(.notWritten, "can't save the query: \(reason)")
            }
        }
        if let after = step.after {
            put(after)
        } else {
            entries.withLock { $0.removeAll { $0.query.id == step.before?.query.id } }
        }
    }
}

extension SavedQuery {
    /// The query to save; `nil` for a query without a name, which isn't saved.
    fileprivate var named: SavedQuery? { name.isEmpty ? nil : self }

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
