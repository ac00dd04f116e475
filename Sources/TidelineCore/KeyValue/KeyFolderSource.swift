import KeyValueStore
import Replication

/// The keys and folders directly in a folder. `/` separates the parts of keys.
final class KeyFolderSource: KeyRowSource {
    let context: KeyValueContext
    private let keys: KeysSource
    /// The path of the folder, with `/` at its end; empty for all keys.
    private let folder: String
    private let levels = ResultCache<KeyValueContext.StoreState, ItemList<FolderEntry<KeyRow>>>()
    /// The keys in this folder that have changed since an instant.
    private let changes = ResultCache<KeyValueContext.StoreState, [String]>()
    private static let schema = FolderEntry<KeyRow>.schema(in: "", deviceName: \.name)
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

    private func level(at instant: Timestamp?) async throws -> ItemList<FolderEntry<KeyRow>> {
        let query = RowQuery(instant: instant)
        return try await levels.answer(
            to: query, in: context.state, mark: { context.mark(at: instant) }
        ) {
            try FolderEntry<KeyRow>.list(
                try await keys.listInByteOrder(at: instant), in: folder,
                conflicts: try context.conflictKeys(at: instant), deviceNames: keys.deviceNames)
        }
    }

    /// Returns the row's identity, because the row shows only the last part of the name.
    func fullName(of row: Row) -> String { row.id.name }

    func conflictedRows(inside row: RowID, at instant: Timestamp?) async throws -> [RowID] {
        guard let path = row.folderPath else { return [] }
        let keys = try context.conflictKeys(at: instant)
        return FolderLevel.range(of: path, in: keys.indices) { keys[$0] }.map { RowID(keys[$0]) }
    }

    func hasChanges(inside row: RowID, since instant: Timestamp) async throws -> Bool? {
        guard let path = row.folderPath else { return nil }
        for time in [instant, nil] {
            let count = try await level(at: time).all.reduce(0) { $0 + $1.count }
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
        guard let index = level.index(of: row), let folder = level.all[index].folder else {
            return nil
        }
        let lines = [
            Detail.Line("keys", Counted.grouped(folder.count), .number),
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

extension FolderEntry<KeyRow> {
    /// Returns the folders and keys directly in a folder.
    ///
    /// - Parameter conflicts: The keys in conflict, in byte order.
    fileprivate static func list(
        _ keys: KeyList, in folder: String, conflicts: [String], deviceNames: [DeviceID: String]
    ) throws -> ItemList<Self> {
        func row(_ index: Int) throws -> KeyRow { try keys.items(index..<index + 1)[0] }
        let inConflict = Set(conflicts.map { Name($0) })
        let level = try level(of: folder, count: keys.count) { index in
            try row(index).key
        } item: { index in
            var row = try row(index)
            row.isConflict = inConflict.contains(Name(row.key))
            return row.decodingValue()
        } folder: { path, range in
            ListedFolder(
                path: path, count: range.count,
                conflictCount: FolderLevel.range(of: path, in: conflicts.indices) {
                    conflicts[$0]
                }.count)
        }
        return ItemList(level, schema(in: folder) { deviceNames[$0] ?? $0.name })
    }

    fileprivate static func schema(
        in folder: String, deviceName: @escaping @Sendable (DeviceID) -> String
    ) -> ListSchema<Self> {
        schema(
            in: folder, nameWidth: 12, example: "name:note*",
            [
                ListColumn("value", "VALUE", minimumWidth: 12, .value, example: "value:a*") {
                    $0.item?.valueCell ?? RowCell(Counted.text($0.count, "key"), .dim)
                },
                .number(
                    "conflicts", "≠", width: 5, hidesZero: true, example: "conflicts>0"
                ) { $0.conflictCount },
                .device(
                    minimumWidth: 6, width: 14, id: { $0.item?.device },
                    name: { $0.item?.device.map(deviceName) ?? "" }),
                .age(example: "age<10m") { $0.item?.timestamp },
            ])
    }
}
