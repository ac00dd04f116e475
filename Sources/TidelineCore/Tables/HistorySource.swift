import Foundation
import Replication
import Tables

/// The list of a Core Data store's persistent history, newest first: a row for each object that a
/// transaction changed.
final class HistorySource: RowSource {
    private let database: TableDatabase
    private static let limit = 100_000

    init(_ database: TableDatabase) { self.database = database }

    private static let schema = ListSchema<CoreDataHistory.Change>(
        [
            ListColumn("date", "DATE", width: 20, .instant, example: "date>2026-01-01") {
                RowCell($0.date.map { Timestamp($0).secondText } ?? "", .date)
            },
            ListColumn(
                "change", "CHANGE", width: 7, .choice(["insert", "update", "delete"]),
                example: "change:delete"
            ) { RowCell($0.action.rawValue, $0.action == .delete ? .deletion : .label) },
            ListColumn("entity", "ENTITY", minimumWidth: 10, .name, example: "entity:note") {
                RowCell($0.entity ?? "?", .key)
            },
            .number("row", "ROW", width: 8, example: "row:7") { $0.row },
            .number("transaction", "TX", width: 7, example: "transaction>100") { $0.transaction },
            ListColumn("author", "AUTHOR", minimumWidth: 8, .name, example: "author:app") {
                RowCell($0.author ?? "", .plain)
            },
        ], id: { RowID("change/\($0.id)") })
    let info = ListInfo(
        "History", columns: HistorySource.schema.columns,
        filterFields: HistorySource.schema.filterFields, newestEnd: .first, hasPast: false)

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let changes = try await database.run { [database] isCancelled in
            try database.file.read(isCancelled: isCancelled) { db in
                let schema = try DatabaseSchema(db)
                return try CoreDataHistory(db, schema)?.changes(db, limit: Self.limit) ?? []
            }.0
        }
        return try await ItemList(changes.reversed(), Self.schema).arrangedWindow(request)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? { nil }
}
