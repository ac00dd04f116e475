import Foundation
import KeyValueStore
import Replication

/// The list of files in a package's `Blobs` folder.
final class BlobsSource: RowSource {
    let info = ListInfo(
        "Blobs",
        columns: [
            Column("blob", "BLOB", minimumWidth: 16, isSortable: true),
            Column("size", "BYTES", width: 12, alignment: .trailing, isSortable: true),
            Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
        ],
        filterFields: [
            FilterField("blob", example: "blob:photos/*"),
            FilterField("size", .size, example: "size>4k", aliases: ["bytes"]),
            FilterField("age", .age, example: "age<1d"),
        ], hasPast: false, namingColumn: "blob")
    private let blobs: BlobFolder
    private let list: BlobList
    private let arranged = KeptAnswers<UInt64, RowList>()
    /// The maximum number of characters of a text that the inspector shows.
    private static let shownCharacterCount = 4096

    init(_ blobs: BlobFolder, _ list: BlobList) {
        self.blobs = blobs
        self.list = list
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let found = try list.current()
        let rows = BlobRows(entries: found.entries)
        let query = RowQuery(filter: request.query.filter, sort: request.query.sort)
        if query.filter.isEmpty, query.sort == nil { return try await rows.window(request) }
        return try await arranged.answer(to: query, in: found.revision) {
            try RowList(rows.rows(0..<rows.count)).arranged(query, by: info)
        }.window(request)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let entry = try blobs.entry(row.name) else { return nil }
        var sections = [
            Detail.Section(
                "Blob",
                [
                    Detail.Line("bytes", Counted.grouped(entry.byteCount), .number),
                    Detail.Line("modified", entry.modified.fullText, .timestamp),
                ])
        ]
        // The start of a larger file, such as a picture, isn't helpful.
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
            let rest = ByteCount.text(data.count - shown.utf8.count)
            lines.append(Detail.Line("", "… \(rest) more", .dim))
        }
        return Detail.Section("Text", lines)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        [CopyForm("path", row.name)]
    }
}

/// The blobs in path order.
private struct BlobRows: IndexedRows {
    let entries: [BlobFolder.Entry]

    var count: Int { entries.count }

    func rows(_ range: Range<Int>) -> [Row] {
        entries[range].map { entry in
            Row(
                id: RowID(entry.path),
                cells: [
                    RowCell(entry.path, .key), RowCell(String(entry.byteCount), .number),
                    RowCell(entry.modified.iso8601, .timestamp, instant: entry.modified),
                ])
        }
    }

    func index(of row: RowID) -> Int? {
        let index = entries.index(of: row.name)
        return index < count && Name(entries[index].path) == Name(row.name) ? index : nil
    }
}
