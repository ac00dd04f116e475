import Foundation
import Replication
public import Tables

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
            ListColumn(
                "properties", "PROPERTIES", minimumWidth: 12, .name, example: "properties:title"
            ) { RowCell($0.propertiesText, .plain) },
            ListColumn("author", "AUTHOR", minimumWidth: 8, .name, example: "author:app") {
                RowCell($0.author ?? "", .plain)
            },
        ], id: { RowID("change/\($0.id)") })
    let info = ListInfo(
        "History", columns: HistorySource.schema.columns,
        filterFields: HistorySource.schema.filterFields, newestEnd: .first, hasPast: false)

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let changes = try await changes()
        return try await ItemList(changes.reversed(), Self.schema).arrangedWindow(request)
    }

    private func changes() async throws -> [CoreDataHistory.Change] {
        try await database.run { [database] isCancelled in
            guard let tables = database.tables, let history = CoreDataHistory(tables.schema) else {
                return []
            }
            return try database.file.read(isCancelled: isCancelled) { db in
                try history.changes(db, of: tables.model, limit: Self.limit)
            }.0
        }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let change = try await changes().first(where: { RowID("change/\($0.id)") == row })
        else { return nil }
        let facts: [(String, String?)] = [
            ("date", change.date.map { Timestamp($0).secondText }), ("author", change.author),
            ("process", change.process), ("bundle", change.bundle),
            ("transaction", String(change.transaction)),
        ]
        var sections = [
            Detail.Section(
                "Transaction",
                facts.compactMap { label, text in text.map { Detail.Line(label, $0, .plain) } })
        ]
        if change.action == .update {
            let lines =
                change.properties.map { $0.map { Detail.Line("", $0, .key) } }
                ?? [Detail.Line("", "unknown", .dim)]
            sections.append(Detail.Section("Changed properties", lines))
        }
        if !change.preserved.isEmpty {
            sections.append(
                Detail.Section(
                    "Values before the deletion",
                    change.preserved.map { Detail.Line($0.name, $0.text, .string) }))
        }
        let name = "\(change.action.rawValue) \(change.entity ?? "?") \(change.row)"
        return Detail(title: name, sections: sections)
    }

    /// Returns the list of the changed object, which is empty if the object was deleted.
    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let change = try await changes().first(where: { RowID("change/\($0.id)") == row }),
            let table = change.entity.flatMap({ database.tables?.table($0) }), table.entity != nil
        else { return nil }
        return try await database.run { [database] isCancelled in
            try TableLists.rows(
                of: table, in: database,
                condition: .columns(["Z_PK"], equal: [.integer(change.row)]),
                title: "\(table.name) \(change.row)", isCancelled: isCancelled)
        }
    }
}

extension CoreDataHistory.Change {
    /// The properties that an update wrote, or the values that are kept of a deleted object.
    public var propertiesText: String {
        if !preserved.isEmpty {
            return preserved.map { "\($0.name): \($0.text)" }.joined(separator: ", ")
        }
        return properties?.joined(separator: ", ") ?? ""
    }
}

extension CoreDataHistory.Preserved {
    /// The value in one line.
    public var text: String {
        if type == .date, let date = Epoch.seconds2001.date(value) {
            return Timestamp(date).secondText
        }
        if case .text(let text) = value { return text }
        guard case .blob(let data) = value else { return value.json }
        return BlobContent(data, uuid: type == .uuid ? .always : .likely).summary
    }

    /// The value for output.
    public var json: JSONValue {
        if type == .date, let date = Epoch.seconds2001.date(value) { return .date(Timestamp(date)) }
        return .verbatim(value.json)
    }
}
