import Replication
import Synchronization

/// The list of stores below a folder.
final class StoresSource: RowSource {
    let info: ListInfo
    private let path: String

    static let columns = shown.compactMap(\.heading)
    private static let shown: [ListColumn<StoreFolder.Store>] = [
        ListColumn("store", "STORE", minimumWidth: 16, example: "store:notes/*") {
            RowCell($0.name, .key)
        },
        ListColumn(
            "kind", "KIND", width: 10,
            .choice([
                "package", "entities", "catalog", "documents", "automerge", "tables",
                StoreFolder.Store.unreadable,
            ]), example: "kind:package"
        ) { RowCell($0.kind, $0.problem == nil ? .label : .problem) },
        .size { $0.byteCount },
        .age(example: "age<1d") { $0.changed },
        // Long paths often differ only at their end, so the last columns yield their width.
        ListColumn(
            "format", "FORMAT", minimumWidth: 6, width: 14, yieldsWidth: true,
            example: "format:sqlite"
        ) {
            RowCell($0.format ?? "", .dim)
        },
        ListColumn(
            "devices", "DEVICES", minimumWidth: 7, width: 15, yieldsWidth: true,
            isSortable: false, example: "devices:*ipad*"
        ) { RowCell($0.devices.joined(separator: ", "), .device) },
    ]

    private let schema: ListSchema<StoreFolder.Store>
    private let stores = Mutex<[StoreFolder.Store]>([])

    init(_ path: String) {
        self.path = path
        schema = ListSchema(Self.shown, id: { Self.id(of: $0, in: path) })
        info = ListInfo(
            "Stores", columns: schema.columns, filterFields: schema.filterFields, hasPast: false,
            rowsAreStores: true)
    }

    func set(_ stores: [StoreFolder.Store]) {
        let stores = stores.inNaturalOrder(of: \.name)
        self.stores.withLock { $0 = stores }
    }

    /// Returns the row of a store: its path.
    func id(of store: StoreFolder.Store) -> RowID { Self.id(of: store, in: path) }

    private static func id(of store: StoreFolder.Store, in path: String) -> RowID {
        RowID("\(path)/\(store.name)")
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        try await ItemList(stores.withLock { $0 }, schema).arrangedWindow(request.ofPresent)
    }

    private func store(_ row: RowID) -> StoreFolder.Store? {
        stores.withLock { $0.first { id(of: $0) == row } }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let store = store(row) else { return nil }
        var lines = [
            Detail.Line("path", row.name), Detail.Line("kind", store.kind),
            Detail.Line("size", ByteCount.exactText(store.byteCount), .number),
        ]
        if let format = store.format { lines.insert(Detail.Line("format", format), at: 2) }
        if let changed = store.changed {
            lines.append(Detail.Line("changed", changed.fullText, .timestamp))
        }
        var sections = [Detail.Section("Store", lines)]
        if let problem = store.problem {
            sections.insert(Detail.Section("Problem", [Detail.Line("", problem, .problem)]), at: 0)
        }
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
