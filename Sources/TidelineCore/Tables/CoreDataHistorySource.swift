import Foundation
import Replication
public import Tables

/// The list of a Core Data store's persistent history, newest first: a row for each object that a
/// transaction changed.
final class CoreDataHistorySource: RowSource {
    private let database: TableDatabase
    private let limit: Int
    private let results = ResultCache<FileStamp, ArrangedList<HistoryItems>>()

    /// The maximum number of changes in the list.
    static let limit = 100_000

    init(_ database: TableDatabase, limit: Int = CoreDataHistorySource.limit) {
        self.database = database
        self.limit = limit
    }

    static let schema = ListSchema<CoreDataHistory.Change>(
        [
            ListColumn("date", "DATE", width: 20, .instant, example: "date>2026-01-01") {
                let date = $0.date.map { Timestamp($0) }
                return RowCell(date?.secondText ?? "", .date, instant: date)
            },
            ListColumn(
                "change", "CHANGE", width: 7, .choice(["insert", "update", "delete"]),
                example: "change:delete"
            ) { RowCell($0.action.rawValue, $0.action == .delete ? .deletion : .label) },
            ListColumn("entity", "ENTITY", minimumWidth: 10, .name, example: "entity:note") {
                RowCell($0.entity ?? "?", .key)
            },
            .number("row", "ROW", width: 8, isIdentifier: true, example: "row:7") { $0.row },
            .number(
                "transaction", "TX", width: 7, isIdentifier: true, example: "transaction>100"
            ) { $0.transaction },
            ListColumn(
                "properties", "PROPERTIES", minimumWidth: 12, .name, example: "properties:title"
            ) { RowCell($0.propertiesText, .plain) },
            ListColumn("author", "AUTHOR", minimumWidth: 8, .name, example: "author:app") {
                RowCell($0.author ?? "", .plain)
            },
        ], id: { RowID("change/\($0.id)") })

    var info: ListInfo {
        let isCut = database.historyCount > limit
        let rest = isCut ? " (newest \(Counted.text(limit, "change")))" : ""
        return ListInfo(
            "History\(rest)", columns: Self.schema.columns, filterFields: Self.schema.filterFields,
            isNewestFirst: true, hasPast: false)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let (count, stamp) = try await database.read { [database, limit] db in
            try database.history?.count(db, limit: limit) ?? 0
        }
        let items = HistoryItems(database: database, count: count)
        return try await results.window(request, of: items, in: stamp)
    }

    private func change(_ row: RowID) async throws -> CoreDataHistory.Change? {
        guard let id = Self.id(of: row) else { return nil }
        return try await database.read { [database] db in
            try database.history?.change(id, db, of: database.tables?.model)
        }.0
    }

    /// Returns the number of the change that a row shows.
    fileprivate static func id(of row: RowID) -> Int64? {
        row.name.hasPrefix("change/") ? Int64(row.name.dropFirst("change/".count)) : nil
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let change = try await change(row) else { return nil }
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
        guard let change = try await change(row),
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

/// The newest changes of the history, each read on demand.
private struct HistoryItems: IndexedItems {
    let database: TableDatabase
    let count: Int
    var schema: ListSchema<CoreDataHistory.Change> { CoreDataHistorySource.schema }
    // To read a page, SQLite also steps over all newer changes, so use few large pages.
    var pageSize: Int { 10_000 }

    func items(_ range: Range<Int>) async throws -> [CoreDataHistory.Change] {
        try await database.read { [database] db in
            try database.history?.newestChanges(db, in: range, of: database.tables?.model)
        }.0 ?? []
    }

    func index(of row: RowID) async throws -> Int? {
        guard let id = CoreDataHistorySource.id(of: row) else { return nil }
        let index = try await database.read { [database] db in
            try database.history?.newerCount(db, than: id)
        }.0
        return index.flatMap { $0 < count ? $0 : nil }
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
