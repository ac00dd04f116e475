import KeyValueStore
import Replication

/// The keys directly in a folder, and its folders. `/` separates the parts of keys.
final class KeyFolderSource: KeySource {
    let context: KeyValueContext
    private let keys: KeysSource
    /// The path of the folder, with `/` at its end; empty for all keys.
    private let folder: String
    private let levels = KeptAnswers<KeyValueContext.StoreState, KeyFolderLevel>()
    private static let schema = KeyFolderLevel.schema(in: "", deviceName: \.name)

    init(_ keys: KeysSource, folder: String = "") {
        context = keys.context
        self.keys = keys
        self.folder = folder
    }

    /// The prefix of the identifiers of folder rows. No key starts with it.
    private static let mark = "\0folder\0"

    /// Returns the row of a folder.
    ///
    /// - Parameter path: The path of the folder, with `/` at its end. The empty path means all
    ///   keys.
    static func row(ofFolder path: String) -> RowID { RowID(mark + path) }

    /// Returns the path of a row's folder; `nil` if the row is a key.
    static func folder(of row: RowID) -> String? {
        guard Name(row.name).hasPrefix(mark) else { return nil }
        return String(Substring(row.name.utf8.dropFirst(mark.utf8.count)))
    }

    func forgetPast() { levels.forgetPast() }

    var info: ListInfo {
        // Adding and renaming need the whole key, but a row shows only its last part.
        var edits = keys.info.edits
        edits[.add] = .unavailable(because: "keys are added in the list of all keys")
        edits[.rename] = .unavailable(because: "keys are renamed in the list of all keys")
        return ListInfo(
            folder.isEmpty ? "Folders" : folder, columns: Self.schema.columns,
            filterFields: Self.schema.filterFields, edits: edits,
            whyNoAlert: "alerts are set in the list of all keys", writes: keys.info.writes)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        do {
            return try await level(at: request.query.instant).arrangedWindow(request)
        } catch is ListOutdated {
            context.noteChange(isLoad: true)
            return try await level(at: request.query.instant).arrangedWindow(request)
        }
    }

    private func level(at instant: Timestamp?) async throws -> KeyFolderLevel {
        let query = RowQuery(instant: instant)
        return try await levels.answer(
            to: query, in: context.state, mark: { context.mark(at: instant) }
        ) {
            let all = try await keys.list(query)
            let conflicts =
                try instant.map { try context.store.conflictKeys(at: $0) }
                ?? context.store.conflictKeys
            return try KeyFolderLevel(
                all, in: folder, conflicts: conflicts, deviceNames: keys.deviceNames)
        }
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        Self.folder(of: row).map { KeyFolderSource(keys, folder: $0) }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let path = Self.folder(of: row) else {
            return try context.detail(ofKey: row.name, at: instant)
        }
        let level = try await level(at: instant)
        guard let index = level.index(of: row), case .folder(let folder) = level.all[index] else {
            return nil
        }
        return Detail(
            title: path,
            sections: [
                Detail.Section(
                    "Folder",
                    [
                        Detail.Line("keys", Counted.grouped(folder.keyCount), .number),
                        Detail.Line("in conflict", Counted.grouped(folder.conflictCount), .number),
                    ])
            ])
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        if let path = Self.folder(of: row) { return [CopyForm("folder", path)] }
        return try context.copyForms(ofKey: row.name, at: instant)
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        guard edit.existingRows.allSatisfy({ Self.folder(of: $0) == nil }) else {
            throw EditError(.unsupported, "folders can't be edited, only their keys")
        }
        return try context.preview(edit)
    }
}

extension Edit {
    /// The existing rows that the edit changes.
    fileprivate var existingRows: [RowID] {
        switch self {
        case .set(let row, _, _), .rename(let row, _, _), .resolve(let row, _), .count(let row, _):
            [row]
        case .relate(let row, _, let target, _): [row, target]
        case .add(_, let parent, _, _): [parent].compactMap(\.self)
        case .remove(let rows, _), .restore(let rows, _): rows
        case .revert, .run: []
        }
    }
}

/// The folders and keys of one level.
private struct KeyFolderLevel: IndexedItems {
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

    let all: [Item]
    let schema: ListSchema<Item>

    /// Creates the level of a folder.
    ///
    /// - Parameter conflicts: The keys in conflict, in byte order.
    init(
        _ keys: KeyList, in folder: String, conflicts: [String], deviceNames: [DeviceID: String]
    ) throws {
        func row(_ index: Int) throws -> KeyRow { try keys.items(index..<index + 1)[0] }
        func conflictCount(_ prefix: String) -> Int {
            FolderLevel.range(of: prefix, in: conflicts.indices) { conflicts[$0] }.count
        }
        let inConflict = Set(conflicts.map { Name($0) })
        all = try FolderLevel.children(of: folder, count: keys.count) { try row($0).key }
            .map { child in
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
        schema = Self.schema(in: folder) { deviceNames[$0] ?? $0.name }
    }

    var count: Int { all.count }

    func items(_ range: Range<Int>) -> [Item] { Array(all[range]) }

    func index(of row: RowID) -> Int? { all.firstIndex { Self.id(of: $0) == row } }

    static func schema(
        in folder: String, deviceName: @escaping @Sendable (DeviceID) -> String
    ) -> ListSchema<Item> {
        let start = folder.utf8.count
        return ListSchema(
            [
                ListColumn("name", "NAME", minimumWidth: 12, example: "name:note*") { item in
                    switch item {
                    case .folder(let folder): RowCell(part(of: folder.path, from: start), .link)
                    case .key(let row): RowCell(part(of: row.key, from: start), .key)
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
                .age(example: "age<10m", newestFirst: true) { $0.row?.timestamp },
                .conflict { $0.row?.isConflict == true },
            ], id: { id(of: $0) },
            mark: { row, item in
                row.device = item.row?.device
                row.isConflict = item.row?.isConflict == true
                row.conflictCount = row.isConflict ? 1 : 0
                if case .folder = item { row.opensList = true }
            })
    }

    private static func id(of item: Item) -> RowID {
        switch item {
        case .folder(let folder): KeyFolderSource.row(ofFolder: folder.path)
        case .key(let row): RowID(row.key)
        }
    }

    /// Returns the next part of a path, after the folder's own path.
    private static func part(of path: String, from start: Int) -> String {
        String(Substring(path.utf8.dropFirst(start)))
    }
}

extension KeyFolderLevel.Item {
    /// The row of a key; `nil` for a folder.
    fileprivate var row: KeyRow? { if case .key(let row) = self { row } else { nil } }
}
