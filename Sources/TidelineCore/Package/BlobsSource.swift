import Foundation
import Replication

/// The list of files in a package's `Blobs` folder.
final class BlobsSource: RowSource {
    let blobs: BlobFolder
    let list: BlobList
    let writing: WriteAccess
    private let arranged = ResultCache<UInt64, ArrangedList<BlobRows>>()
    /// The maximum number of characters of a text that the inspector shows.
    private static let shownCharacterCount = 4096

    init(_ blobs: BlobFolder, _ list: BlobList, _ writing: WriteAccess) {
        self.blobs = blobs
        self.list = list
        self.writing = writing
    }

    var info: ListInfo {
        ListInfo(
            "Blobs", columns: BlobRows.blobs.columns, filterFields: BlobRows.blobs.filterFields,
            edits: [.resolve: writing.availability], hasPast: false,
            whyNoValue: "a blob is a file, in the folder Blobs of the store", namingColumn: "blob",
            folders: RowID(folder: ""))
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        row.folderPath.map { BlobFolderSource(self, folder: $0) }
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let found = try list.current()
        let rows = BlobRows(found)
        var request = request.ofPresent
        if request.query.sort == nil, rows.count <= NaturalText.longestList {
            request.query.sort = .init(column: "blob")
        }
        return try await arranged.window(request, of: rows, in: found.revision)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        let versions = try versions(of: row)
        guard let entry = try blobs.entry(row.name) else {
            return versions.map { Detail(title: row.name, sections: $0.sections()) }
        }
        var sections = [
            Detail.Section(
                "Blob",
                [
                    Detail.Line("size", ByteCount.exactText(entry.byteCount), .number),
                    Detail.Line("modified", entry.modified.fullText, .timestamp),
                ])
        ]
        if let versions { sections += versions.sections() }
        // Don't show the start of a larger file, such as a picture, because that isn't helpful.
        if entry.byteCount <= 1 << 20 {
            let data = try blobs.data(at: row.name, limit: 1 << 20)
            sections.append(
                Self.text(data) ?? Detail.Section("Bytes", Detail.Line.hex(data)))
        }
        return Detail(title: row.name, sections: sections)
    }

    /// Returns the start of a text as lines; `nil` if the data isn't text.
    private static func text(_ data: Data) -> Detail.Section? {
        guard let whole = String(data: data, encoding: .utf8) else { return nil }
        let shown = whole.prefix(shownCharacterCount)
        var lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Detail.Line("", String($0), .string) }
        if shown.endIndex < whole.endIndex {
            lines.append(.omission(ByteCount.text(data.count - shown.utf8.count)))
        }
        return Detail.Section("Text", lines)
    }

    func writeValue(
        of row: RowID, at instant: Timestamp?, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Bool {
        guard try blobs.entry(row.name) != nil else { return false }
        try blobs.read(row.name, write)
        return true
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        [CopyForm("path", row.name)]
    }
}

/// The blobs in path order, and the paths without a blob that have conflict copies.
struct BlobRows: IndexedItems {
    /// A blob, and the number of its conflict copies.
    struct Item: FolderItem {
        let path: String
        /// The blob; `nil` if only conflict copies exist.
        let entry: BlobFolder.Entry?
        let copies: Int
        var isConflict: Bool { copies > 0 }
        var device: DeviceID? { nil }
    }

    private let found: BlobList.Found
    /// The conflicts without a blob, with their indexes in the list.
    private let missing: [(index: Int, conflict: BlobConflict)]

    init(_ found: BlobList.Found) {
        self.found = found
        missing = found.missing.enumerated().map { number, conflict in
            (found.entries.index(of: conflict.path) + number, conflict)
        }
    }

    static let blobs = ListSchema<Item>(
        [
            ListColumn("blob", "BLOB", minimumWidth: 16, example: "blob:photos/*") {
                RowCell($0.path, .key)
            },
            .size(missing: RowCell("no file", .dim)) { $0.entry?.byteCount },
            .age(example: "age<1d") { $0.entry?.modified },
            .conflict(\.isConflict),
        ], id: { RowID($0.path) },
        mark: { row, item in
            row.isConflict = item.isConflict
            row.conflictCount = item.isConflict ? 1 : 0
        })

    var schema: ListSchema<Item> { Self.blobs }
    var count: Int { found.entries.count + missing.count }

    func items(_ range: Range<Int>) -> [Item] { range.map(item) }

    private func item(_ index: Int) -> Item {
        let before = missing.prefix { $0.index < index }.count
        if before < missing.count, missing[before].index == index {
            return item(missing[before].conflict.path, nil)
        }
        let entry = found.entries[index - before]
        return item(entry.path, entry)
    }

    private func item(_ path: String, _ entry: BlobFolder.Entry?) -> Item {
        let versions = found.conflicts.isEmpty ? nil : found.conflicts[Name(path)]?.versions
        return Item(path: path, entry: entry, copies: (versions?.count ?? 1) - 1)
    }

    func index(of row: RowID) -> Int? {
        let name = Name(row.name)
        if let missing = missing.first(where: { Name($0.conflict.path) == name }) {
            return missing.index
        }
        let index = found.entries.index(of: row.name)
        guard index < found.entries.count, Name(found.entries[index].path) == name else {
            return nil
        }
        return index + missing.prefix { Name($0.conflict.path) < name }.count
    }
}
