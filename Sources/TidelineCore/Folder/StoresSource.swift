import Replication
import Synchronization

/// The list of stores below a folder.
final class StoresSource: RowSource {
    let info = ListInfo(
        "Stores",
        columns: [
            Column("store", "STORE", minimumWidth: 16, isSortable: true),
            Column("kind", "KIND", width: 9, isSortable: true),
            Column("size", "SIZE", width: 9, alignment: .trailing, isSortable: true),
            Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
            Column("format", "FORMAT", width: 14, isSortable: true),
            Column("devices", "DEVICES", minimumWidth: 10),
        ],
        filterFields: [
            FilterField("store", example: "store:notes/*"),
            FilterField(
                "kind",
                .choice(["package", "entities", "catalog", "documents", "automerge", "tables"]),
                example: "kind:package"),
            FilterField("size", .size, example: "size>4k", aliases: ["bytes"]),
            FilterField("age", .age, example: "age<1d"),
            FilterField("format", example: "format:sqlite"),
            FilterField("devices", example: "devices:*ipad*"),
        ], hasPast: false, rowsAreStores: true)
    private let path: String
    private let stores = Mutex<[StoreFolder.Store]>([])

    init(_ path: String) { self.path = path }

    func set(_ stores: [StoreFolder.Store]) { self.stores.withLock { $0 = stores } }

    /// Returns the row of a store: its path.
    func id(of store: StoreFolder.Store) -> RowID { RowID("\(path)/\(store.name)") }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let rows = stores.withLock { $0 }.map { store in
            Row(
                id: id(of: store),
                cells: [
                    RowCell(store.name, .key), RowCell(store.kind, .label),
                    RowCell(
                        ByteCount.text(Int(clamping: store.byteCount)), .number,
                        value: .json(.integer(store.byteCount))),
                    RowCell(store.changed?.iso8601 ?? "", .timestamp, instant: store.changed),
                    RowCell(store.format ?? "", .dim),
                    RowCell(store.devices.joined(separator: ", "), .device),
                ])
        }
        return try await RowList(rows).arranged(
            RowQuery(filter: request.query.filter, sort: request.query.sort), by: info
        ).window(request)
    }

    private func store(_ row: RowID) -> StoreFolder.Store? {
        stores.withLock { $0.first { id(of: $0) == row } }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let store = store(row) else { return nil }
        var lines = [
            Detail.Line("path", row.name), Detail.Line("kind", store.kind),
            Detail.Line("bytes", Counted.grouped(store.byteCount), .number),
        ]
        if let format = store.format { lines.insert(Detail.Line("format", format), at: 2) }
        if let changed = store.changed {
            lines.append(Detail.Line("changed", changed.fullText, .timestamp))
        }
        var sections = [Detail.Section("Store", lines)]
        if !store.devices.isEmpty {
            sections.append(
                Detail.Section(
                    "Devices", store.devices.map { Detail.Line("", $0, .device) }))
        }
        return Detail(title: store.name, sections: sections)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard store(row) != nil else { return [] }
        return [
            CopyForm("path", row.name),
            CopyForm("command", "tideline \(ShellCommand.word(row.name))"),
        ]
    }
}
