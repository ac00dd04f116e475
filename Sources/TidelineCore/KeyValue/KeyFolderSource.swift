import KeyValueStore
import Replication

/// The keys and folders directly in a folder. `/` separates the parts of keys.
final class KeyFolderSource: KeySource {
    let context: KeyValueContext
    private let keys: KeysSource
    /// The path of the folder, with `/` at its end; empty for all keys.
    private let folder: String
    private let levels = ResultCache<KeyValueContext.StoreState, ItemList<KeyFolderLevel.Item>>()
    /// The keys in this folder that have changed since an instant.
    private let changes = ResultCache<KeyValueContext.StoreState, [String]>()
    private static let schema = KeyFolderLevel.schema(in: "", deviceName: \.name)
    /// The maximum number of keys to compare with their current values.
    private static let longestComparison = 5_000

    init(_ keys: KeysSource, folder: String = "") {
        context = keys.context
        self.keys = keys
        self.folder = folder
    }

    func forgetPast() {
        levels.forgetPast()
        changes.forgetPast()
    }

    var info: ListInfo {
        // Adding and renaming need the whole key, but a row shows only its last part.
        var edits = keys.info.edits
        edits[.add] = .unavailable(because: "keys can only be added in the list of all keys")
        edits[.rename] = .unavailable(because: "keys can only be renamed in the list of all keys")
        var info = ListInfo(
            folder.isEmpty ? "Folders" : folder, columns: Self.schema.columns,
            filterFields: Self.schema.filterFields, edits: edits,
            whyNoAlert: "alerts can only be set in the list of all keys", writes: keys.info.writes)
        info.hasAuthors = true
        return info
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        do {
            return try await level(at: request.query.instant).arrangedWindow(request)
        } catch is ListOutdated {
            context.noteChange(isLoad: true)
            return try await level(at: request.query.instant).arrangedWindow(request)
        }
    }

    private func level(at instant: Timestamp?) async throws -> ItemList<KeyFolderLevel.Item> {
        let query = RowQuery(instant: instant)
        return try await levels.answer(
            to: query, in: context.state, mark: { context.mark(at: instant) }
        ) {
            try KeyFolderLevel.list(
                try await keys.listInByteOrder(at: instant), in: folder,
                conflicts: try context.conflictKeys(at: instant), deviceNames: keys.deviceNames)
        }
    }

    /// Rows show only the last part of their names.
    func fullName(of row: Row) -> String { row.id.name }

    func conflictedRows(inside row: RowID, at instant: Timestamp?) async throws -> [RowID] {
        guard let path = row.folderPath else { return [] }
        let keys = try context.conflictKeys(at: instant)
        return FolderLevel.range(of: path, in: keys.indices) { keys[$0] }.map { RowID(keys[$0]) }
    }

    func hasChanges(inside row: RowID, since instant: Timestamp) async throws -> Bool? {
        guard let path = row.folderPath else { return nil }
        for time in [instant, nil] {
            let count = try await level(at: time).all.reduce(0) { $0 + $1.keyCount }
            guard count <= Self.longestComparison else { return nil }
        }
        let changed = try changes.answer(to: RowQuery(instant: instant), in: context.state) {
            try context.changedKeys(under: folder, since: instant)
        }
        return !FolderLevel.range(of: path, in: changed.indices) { changed[$0] }.isEmpty
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        row.folderPath.map { KeyFolderSource(keys, folder: $0) }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let path = row.folderPath else {
            return try context.detail(ofKey: row.name, at: instant)
        }
        let level = try await level(at: instant)
        guard let index = level.index(of: row), case .folder(let folder) = level.all[index] else {
            return nil
        }
        let lines = [
            Detail.Line("keys", Counted.grouped(folder.keyCount), .number),
            Detail.Line("in conflict", Counted.grouped(folder.conflictCount), .number),
        ]
        return Detail(title: path, sections: [Detail.Section("Folder", lines)])
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        if let path = row.folderPath { return [CopyForm("folder", path)] }
        return try context.copyForms(ofKey: row.name, at: instant)
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        guard edit.existingRows.allSatisfy({ $0.folderPath == nil }) else {
            throw EditError(.unsupported, "folders can't be edited, only their keys")
        }
        return try context.preview(edit)
    }
}

/// The folders and keys of one level.
private enum KeyFolderLevel {
    /// A folder with the number of its keys, at any depth.
    struct Folder {
        let path: String
        let keyCount: Int
        let conflictCount: Int
    }

    enum Item {
        case folder(Folder)
        case key(KeyRow)
    }

    /// Returns the level of a folder.
    ///
    /// - Parameter conflicts: The keys in conflict, in byte order.
    static func list(
        _ keys: KeyList, in folder: String, conflicts: [String], deviceNames: [DeviceID: String]
    ) throws -> ItemList<Item> {
        func row(_ index: Int) throws -> KeyRow { try keys.items(index..<index + 1)[0] }
        func conflictCount(_ prefix: String) -> Int {
            FolderLevel.range(of: prefix, in: conflicts.indices) { conflicts[$0] }.count
        }
        let inConflict = Set(conflicts.map { Name($0) })
        let items = try FolderLevel.children(of: folder, count: keys.count) { try row($0).key }
            .map { child -> Item in
                switch child {
                case .item(let index):
                    var row = try row(index)
                    row.isConflict = inConflict.contains(Name(row.key))
                    return .key(row.decodingValue())
                case .folder(let path, let range):
                    return .folder(
                        Folder(
                            path: path, keyCount: range.count,
                            conflictCount: conflictCount(path)))
                }
            }
        return ItemList(
            items.inNaturalOrder(of: path(of:)), schema(in: folder) { deviceNames[$0] ?? $0.name })
    }

    static func schema(
        in folder: String, deviceName: @escaping @Sendable (DeviceID) -> String
    ) -> ListSchema<Item> {
        ListSchema(
            [
                ListColumn("name", "NAME", minimumWidth: 12, example: "name:note*") { item in
                    switch item {
                    case .folder(let inner):
                        RowCell(FolderLevel.name(of: inner.path, in: folder), .link)
                    case .key(let row):
                        RowCell(FolderLevel.name(of: row.key, in: folder), .key)
                    }
                },
                ListColumn("value", "VALUE", minimumWidth: 12, .value, example: "value:a*") {
                    item in
                    switch item {
                    case .folder(let folder):
                        RowCell(Counted.text(folder.keyCount, "key"), .dim)
                    case .key(let row): row.valueCell
                    }
                },
                .number(
                    "conflicts", "≠", width: 5, hidesZero: true, example: "conflicts>0"
                ) { item in
                    switch item {
                    case .folder(let folder): folder.conflictCount
                    case .key(let row): row.isConflict ? 1 : 0
                    }
                },
                .device(minimumWidth: 6, width: 14) {
                    RowCell($0.row?.device.map(deviceName) ?? "", .device)
                } id: {
                    $0.row?.device
                },
                .age(example: "age<10m") { $0.row?.timestamp },
                .conflict { item in
                    if case .folder(let folder) = item { return folder.conflictCount > 0 }
                    return item.row?.isConflict == true
                },
            ], id: { id(of: $0) },
            mark: { row, item in
                if case .folder(let folder) = item {
                    row.isFolder = true
                    row.conflictsInside = folder.conflictCount
                }
                row.device = item.row?.device
                row.isConflict = item.row?.isConflict == true
                row.conflictCount = row.isConflict ? 1 : 0
            })
    }

    /// Returns the path of a folder or the key.
    private static func path(of item: Item) -> String {
        switch item {
        case .folder(let folder): folder.path
        case .key(let row): row.key
        }
    }

    private static func id(of item: Item) -> RowID {
        switch item {
        case .folder(let folder): RowID(folder: folder.path)
        case .key(let row): RowID(row.key)
        }
    }
}

extension KeyFolderLevel.Item {
    /// The row of a key; `nil` for a folder.
    fileprivate var row: KeyRow? { if case .key(let row) = self { row } else { nil } }

    /// The number of keys, at any depth.
    fileprivate var keyCount: Int {
        if case .folder(let folder) = self { folder.keyCount } else { 1 }
    }
}
