import Replication

/// The blobs and folders directly in a folder inside the `Blobs` folder.
final class BlobFolderSource: RowSource {
    private let all: BlobsSource
    /// The path of the folder, with `/` at its end; empty for all blobs.
    private let folder: String
    private let levels = ResultCache<UInt64, ItemList<FolderEntry<BlobRows.Item>>>()

    init(_ all: BlobsSource, folder: String = "") {
        self.all = all
        self.folder = folder
    }

    var info: ListInfo {
        let schema = FolderEntry<BlobRows.Item>.schema(in: "")
        return ListInfo(
            folder.isEmpty ? "Folders" : folder, columns: schema.columns,
            filterFields: schema.filterFields, edits: all.info.edits, hasPast: false,
            whyNoAlert: "alerts are set in the list of all blobs", whyNoValue: all.info.whyNoValue)
    }

    /// Returns the blobs and folders directly in the folder. Computes them again only after the
    /// blobs have changed.
    private func level() throws -> ItemList<FolderEntry<BlobRows.Item>> {
        let found = try all.list.current()
        return try levels.answer(to: RowQuery(), in: found.revision) {
            try FolderEntry<BlobRows.Item>.list(BlobRows(found), in: folder)
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
        guard let folder = try level().all.first(where: { $0.row == row })?.folder else {
            return nil
        }
        let lines = [
            Detail.Line("blobs", Counted.grouped(folder.count), .number),
            Detail.Line("size", ByteCount.exactText(folder.byteCount), .number),
            Detail.Line("in conflict", Counted.grouped(folder.conflictCount), .number),
        ]
        return Detail(title: path, sections: [Detail.Section("Folder", lines)])
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        row.folderPath == nil ? try await all.conflict(of: row, at: instant) : nil
    }

    /// Returns the row's identity, because the row shows only the last part of the name.
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

extension FolderEntry<BlobRows.Item> {
    fileprivate static func list(
        _ blobs: BlobRows, in folder: String
    ) throws -> ItemList<Self> {
        func blob(_ index: Int) -> BlobRows.Item { blobs.items(index..<index + 1)[0] }
        let level = try level(of: folder, count: blobs.count) { index in
            blob(index).path
        } item: { index in
            blob(index)
        } folder: { path, range in
            let inside = blobs.items(range)
            return ListedFolder(
                path: path, count: inside.count, conflictCount: inside.count(where: \.isConflict),
                byteCount: byteCount(of: inside))
        }
        return ItemList(level, schema(in: folder))
    }

    /// Returns the total size of blobs, at most `Int64.max`. Sparse files can claim any size.
    private static func byteCount(of blobs: [BlobRows.Item]) -> Int64 {
        blobs.reduce(0) { sum, blob in
            let (next, overflow) = sum.addingReportingOverflow(blob.entry?.byteCount ?? 0)
            return overflow ? .max : next
        }
    }

    fileprivate static func schema(in folder: String) -> ListSchema<Self> {
        schema(
            in: folder, nameWidth: 16, example: "name:photos*",
            [
                .number("blobs", "BLOBS", width: 8, example: "blobs>10") { $0.count },
                .size { $0.folder?.byteCount ?? $0.item?.entry?.byteCount },
                .age(example: "age<1d") { $0.item?.entry?.modified },
            ])
    }
}
