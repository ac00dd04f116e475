import Foundation
import Replication
import Synchronization
import Tables

/// A person's own queries of a database, as long as it is open: typed as a new row, looked at with
/// their plan before they run, opened as the list of what they give.
final class QueriesSource: RowSource {
    private struct Query: Sendable {
        let number: Int
        let name: String
        let sql: String
    }

    private let database: TableDatabase
    private let queries = Mutex<[Query]>([])

    init(_ database: TableDatabase) { self.database = database }

    var info: ListInfo {
        ListInfo(
            "Queries",
            columns: [
                Column("name", "QUERY", minimumWidth: 10, isSortable: true),
                Column("sql", "SQL", minimumWidth: 30, isSortable: true),
            ],
            filterFields: [
                FilterField("name", .name, example: "name:recent"),
                FilterField("sql", .name, example: "sql:select"),
            ], edits: [.add: .available, .remove: .available], valueKinds: [.string],
            addForm: AddForm(name: "name of the query", value: "SQL"), hasPast: false,
            whyNoAlert: "they are your own, and no device writes them")
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let rows = queries.withLock { $0 }.map { query in
            Row(
                id: RowID("query/\(query.number)"),
                cells: [RowCell(query.name, .key), RowCell(query.sql, .string)])
        }
        return try await RowList(rows).arranged(request.query, by: info).window(request)
    }

    private func query(_ row: RowID) -> Query? {
        queries.withLock { $0 }.first { row == RowID("query/\($0.number)") }
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
            let plan: [ReadOnlyQuery.PlanStep]
            do {
                plan = try await self.plan(of: text.text)
            } catch let error as TablesError {
                throw EditError(.invalid, error.message)
            }
            return EditPreview(
                edit: edit, summary: "keep the query \(name.isEmpty ? text.text : name)",
                changes: plan.map { .init(subject: "plan", old: nil, new: .init($0.detail)) },
                file: nil)
        case .remove(let rows, nil):
            return EditPreview(
                edit: edit, summary: "forget \(Counted.text(rows.count, "query", "queries"))",
                changes: rows.compactMap { query($0) }.map {
                    .init(subject: $0.name, old: .init($0.sql), new: nil)
                }, file: nil)
        default: throw EditError(.unsupported, "a query is added or removed")
        }
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        var rows: [RowID] = []
        switch preview.edit {
        case .add(let name, _, _, let text):
            rows = queries.withLock { queries in
                let number = (queries.last?.number ?? 0) + 1
                queries.append(
                    Query(
                        number: number, name: name.isEmpty ? "query \(number)" : name,
                        sql: text.text))
                return [RowID("query/\(number)")]
            }
        case .remove(let gone, _):
            queries.withLock { queries in
                queries.removeAll { gone.contains(RowID("query/\($0.number)")) }
            }
        default: break
        }
        database.emit(.loaded)
        return AppliedEdit(summary: preview.summary, date: Date(), rows: rows, undo: [])
    }
}
