import Replication

/// The blobs and folders directly in a folder inside the `Blobs` folder.
final class BlobFolderSource: RowSource {
    private let all: BlobsSource
    /// The path of the folder, with `/` at its end; empty for all blobs.
    private let folder: String
    private let levels = ResultCache<UInt64, ItemList<BlobFolderLevel.Item>>()

    init(_ all: BlobsSource, folder: String = "") {
        self.all = all
        self.folder = folder
    }

    var info: ListInfo {
        let schema = BlobFolderLevel.schema(in: "")
        return ListInfo(
            folder.isEmpty ? "Folders" : folder, columns: schema.columns,
            filterFields: schema.filterFields, edits: all.info.edits, hasPast: false,
            whyNoAlert: "alerts are set in the list of all blobs", whyNoValue: all.info.whyNoValue)
    }

    /// Returns the blobs and folders directly in the folder. Computes them again only after the
    /// blobs have changed.
    private func level() throws -> ItemList<BlobFolderLevel.Item> {
        let found = try all.list.current()
        return try levels.answer(to: RowQuery(), in: found.revision) {
            try BlobFolderLevel.list(BlobRows(found), in: folder)
        }
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        try await level().arrangedWindow(request.ofPresent)
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        row.folderPath.map { BlobFolderSource(all, folder: $0) }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let path = row.folderPath else { return try await all.detail(of: row, at: instant) }
        guard case .folder(let folder)? = try level().all.first(where: { $0.row == row }) else {
            return nil
        }
        let lines = [
            Detail.Line("blobs", Counted.grouped(folder.count), .number),
            Detail.Line("bytes", Counted.grouped(Int(clamping: folder.byteCount)), .number),
            Detail.Line("in conflict", Counted.grouped(folder.conflicts), .number),
        ]
        return Detail(title: path, sections: [Detail.Section("Folder", lines)])
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        row.folderPath == nil ? try await all.conflict(of: row, at: instant) : nil
    }

    /// Rows show only the last part of their names.
    func fullName(of row: Row) -> String { row.id.name }

    func conflictedRows(inside row: RowID, at instant: Timestamp?) async throws -> [RowID] {
        guard let path = row.folderPath else { return [] }
        return try all.list.current().conflicts.keys.filter { $0.hasPrefix(path) }.sorted()
            .map { RowID($0.text) }
    }

    func writeValue(
        of row: RowID, at instant: Timestamp?, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Bool {
        guard row.folderPath == nil else { return false }
        return try await all.writeValue(of: row, at: instant, write)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        if let path = row.folderPath { return [CopyForm("folder", path)] }
        return try await all.copyForms(of: row, at: instant)
    }

    func preview(_ edit: Edit) async throws -> EditPreview { try await all.preview(edit) }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await all.apply(preview)
    }
}

/// The folders and blobs of one level.
private enum BlobFolderLevel {
    /// A folder with the blobs in it, at any depth.
    struct Folder {
        let path: String
        let count: Int
        let byteCount: Int64
        let conflicts: Int
    }

    enum Item {
        case folder(Folder)
        case blob(BlobRows.Item)

        var blobCount: Int {
            switch self {
            case .folder(let folder): folder.count
            case .blob: 1
            }
        }

        var byteCount: Int64 {
            switch self {
            case .folder(let folder): folder.byteCount
            case .blob(let blob): blob.entry?.byteCount ?? 0
            }
        }

        /// The time of the last change; `nil` for a folder.
        var modified: Timestamp? {
            switch self {
            case .folder: nil
            case .blob(let blob): blob.entry?.modified
            }
        }

        var path: String {
            switch self {
            case .folder(let folder): folder.path
            case .blob(let blob): blob.path
            }
        }

        var row: RowID {
            switch self {
            case .folder(let folder): RowID(folder: folder.path)
            case .blob(let blob): RowID(blob.path)
            }
        }
    }

    static func list(_ blobs: BlobRows, in folder: String) throws -> ItemList<Item> {
        func blob(_ index: Int) -> BlobRows.Item { blobs.items(index..<index + 1)[0] }
        let items = try FolderLevel.children(of: folder, count: blobs.count) { blob($0).path }
            .map { child -> Item in
                switch child {
                case .item(let index): return .blob(blob(index))
                case .folder(let path, let range):
                    let inside = blobs.items(range)
                    return .folder(
                        Folder(
                            path: path, count: inside.count,
                            byteCount: byteCount(of: inside),
                            conflicts: inside.count { $0.copies > 0 }))
                }
            }
        return ItemList(items.inNaturalOrder(of: \.path), schema(in: folder))
    }

    /// Returns the total size of blobs. Sparse files can have any size.
    private static func byteCount(of blobs: [BlobRows.Item]) -> Int64 {
        blobs.reduce(0) { sum, blob in
            let (next, overflow) = sum.addingReportingOverflow(blob.entry?.byteCount ?? 0)
            return overflow ? .max : next
        }
    }

    static func schema(in folder: String) -> ListSchema<Item> {
        ListSchema(
            [
                ListColumn("name", "NAME", minimumWidth: 16, example: "name:photos*") { item in
                    switch item {
                    case .folder(let inner):
                        RowCell(FolderLevel.name(of: inner.path, in: folder), .link)
                    case .blob(let blob):
                        RowCell(FolderLevel.name(of: blob.path, in: folder), .key)
                    }
                },
                .number("blobs", "BLOBS", width: 8, example: "blobs>10") { $0.blobCount },
                .number("size", "BYTES", width: 12, example: "size>4k") { $0.byteCount },
                .age(example: "age<1d") { $0.modified },
                .conflict { item in
                    switch item {
                    case .folder(let folder): folder.conflicts > 0
                    case .blob(let blob): blob.copies > 0
                    }
                },
            ], id: \.row,
            mark: { row, item in
                switch item {
                case .folder(let folder):
                    row.isFolder = true
                    row.conflictsInside = folder.conflicts
                case .blob(let blob):
                    row.isConflict = blob.copies > 0
                    row.conflictCount = blob.copies > 0 ? 1 : 0
                }
            })
    }
}
