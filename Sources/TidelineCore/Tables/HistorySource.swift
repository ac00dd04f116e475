import Foundation
import Replication
import Tables

/// The list of a Core Data store's persistent history, newest first: a row for each object that a
/// transaction changed.
final class HistorySource: RowSource {
    private let database: TableDatabase
    private static let limit = 100_000

    init(_ database: TableDatabase) { self.database = database }

    let info = ListInfo(
        "History",
        columns: [
            Column("date", "DATE", width: 20, isSortable: true),
            Column("change", "CHANGE", width: 7, isSortable: true),
            Column("entity", "ENTITY", minimumWidth: 10, isSortable: true),
            Column("row", "ROW", width: 8, alignment: .trailing, isSortable: true),
            Column("transaction", "TX", width: 7, alignment: .trailing, isSortable: true),
            Column("author", "AUTHOR", minimumWidth: 8, isSortable: true),
        ],
        filterFields: [
            FilterField("date", .instant, example: "date>2026-01-01"),
            FilterField(
                "change", .choice(["insert", "update", "delete"]), example: "change:delete"),
            FilterField("entity", .name, example: "entity:note"),
            FilterField("row", .number, example: "row:7"),
            FilterField("transaction", .number, example: "transaction>100"),
            FilterField("author", .name, example: "author:app"),
        ], newestEnd: .first, hasPast: false)

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let changes = try await database.run { [database] isCancelled in
            try database.file.read(isCancelled: isCancelled) { db in
                let schema = try DatabaseSchema(db)
                return try CoreDataHistory(db, schema)?.changes(db, limit: Self.limit) ?? []
            }.0
        }
        let rows = changes.reversed().map(Self.row)
        return try await RowList(rows).arranged(request.query, by: info).window(request)
    }

    private static func row(_ change: CoreDataHistory.Change) -> Row {
        let date = change.date.map { Timestamp($0).secondText } ?? ""
        let role: TextRole = change.action == .delete ? .deletion : .label
        let cells: [RowCell] = [
            RowCell(date, .date),
            RowCell(change.action.rawValue, role),
            RowCell(change.entity ?? "?", .key),
            RowCell(String(change.row), .number),
            RowCell(String(change.transaction), .number),
            RowCell(change.author ?? "", .plain),
        ]
        return Row(id: RowID("change/\(change.id)"), cells: cells)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? { nil }
}
