import Foundation
import Replication
import Synchronization
import Tables

/// The list of the user's saved queries of a database. A query is added as a row, shows its plan in
/// the inspector, and opens as the list of its results.
final class QueriesSource: RowSource {
    private let database: TableDatabase
    private let kept: KeptQueries?
    private let queries: Mutex<[KeptQuery]>

    /// - Parameter kept: The file for saved queries; `nil`: they are kept while the database is
    ///   open.
    init(_ database: TableDatabase, keptIn kept: KeptQueries?) {
        self.database = database
        self.kept = kept
        // Unreadable queries don't prevent showing the tables.
        queries = Mutex((try? kept?.queries()) ?? [])
    }

    private static let schema = ListSchema<KeptQuery>(
        [
            ListColumn("name", "QUERY", minimumWidth: 10, .name, example: "name:recent") {
                RowCell($0.name, .key)
            },
            ListColumn("sql", "SQL", minimumWidth: 30, .name, example: "sql:select") {
                RowCell($0.sql, .string)
            },
        ], id: \.row)

    var info: ListInfo {
        ListInfo(
            "Queries", columns: Self.schema.columns, filterFields: Self.schema.filterFields,
            edits: [.add: .available, .remove: .available], valueKinds: [.string],
            addForm: AddForm(name: "name of the query", value: "SQL"), hasPast: false,
            whyNoAlert: "queries are your own; no device writes them")
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        try await ItemList(queries.withLock { $0 }, Self.schema).arrangedWindow(request)
    }

    private func query(_ row: RowID) -> KeptQuery? {
        queries.withLock { $0 }.first { $0.row == row }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let query = query(row) else { return nil }
        let plan = try await plan(of: query.sql)
        return Detail(
            title: query.name,
            sections: [
                Detail.Section("SQL", [Detail.Line("", query.sql, .string)]),
                Detail.Section("Plan", plan.map { Detail.Line("", $0.detail, depth: $0.depth) }),
            ])
    }

    private func plan(of sql: String) async throws -> [ReadOnlyQuery.PlanStep] {
        try await database.run { [database] isCancelled in
            try database.file.read(isCancelled: isCancelled) { try ReadOnlyQuery(sql).plan($0) }.0
        }
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let query = query(row) else { return nil }
        return try await database.run { [database] isCancelled in
            let result = QueryResultSource(database, query.name, query.sql)
            try result.load(isCancelled)
            return result
        }
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        try database.checkWriter()
        switch edit {
        case .add(let name, nil, nil, let text):
            guard text.text.contains(where: { !$0.isWhitespace }) else {
                throw EditError(
                    .invalid, "type a query first, such as SELECT * FROM a table")
            }
            let plan: [ReadOnlyQuery.PlanStep]
            do {
                plan = try await self.plan(of: text.text)
            } catch let error as TablesError {
                throw EditError(.invalid, error.message)
            }
            return EditPreview(
                edit: edit, summary: "save the query \(name.isEmpty ? text.text : name)",
                changes: [.init(subject: "SQL", old: nil, new: .init(text.text))]
                    + plan.map { .init(subject: "plan", old: nil, new: .init($0.detail)) },
                file: kept?.path)
        case .remove(let rows, nil):
            return EditPreview(
                edit: edit, summary: "delete \(Counted.text(rows.count, "query", "queries"))",
                changes: rows.compactMap { query($0) }.map {
                    .init(subject: $0.name, old: .init($0.sql), new: nil)
                }, file: kept?.path)
        default: throw EditError(.unsupported, "queries can only be added and deleted")
        }
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        var rows: [RowID] = []
        var undo: [Edit] = []
        switch preview.edit {
        case .add(let name, _, _, let text):
            let count = queries.withLock { $0.count }
            let query = KeptQuery(name: name.isEmpty ? "query \(count + 1)" : name, sql: text.text)
            try keep(query)
            rows = [query.row]
            undo = [.remove(rows, field: nil)]
        case .remove(let gone, _):
            for query in gone.compactMap(query) {
                try keep(query, isForgotten: true)
                undo.append(
                    .add(name: query.name, parent: nil, TypedText(.string, query.sql)))
            }
        default: break
        }
        database.emit(.loaded)
        return AppliedEdit(summary: preview.summary, date: Date(), rows: rows, undo: undo)
    }

    private func keep(_ query: KeptQuery, isForgotten: Bool = false) throws {
        var query = query
        query.isForgotten = isForgotten
        do {
            try kept?.keep(query)
        } catch {
            let reason = (error as? any ExplainedError)?.reason ?? "\(error)"
            throw EditError(.notWritten, "can't save the query: \(reason)")
        }
        queries.withLock { queries in
            queries.removeAll { $0.id == query.id }
            if !isForgotten { queries.append(query) }
        }
    }
}
