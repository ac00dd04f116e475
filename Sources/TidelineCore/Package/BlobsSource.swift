import Foundation
import KeyValueStore
import Replication

/// The files under a package's `Blobs` folder.
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
        ], hasPast: false)
    private let blobs: BlobFolder
    /// As much of a blob as the inspector shows.
    private static let shownByteCount = 4096

    init(_ package: StorePackage) { blobs = package.blobs }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let rows = try blobs.entries().map { entry in
            Row(
                id: RowID(entry.path),
                cells: [
                    RowCell(entry.path, .key), RowCell(String(entry.byteCount), .number),
                    RowCell(entry.modified.iso8601, .timestamp, instant: entry.modified),
                ])
        }
        return try await RowList(rows).arranged(
            RowQuery(filter: request.query.filter, sort: request.query.sort), by: info
        ).window(request)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let entry = try blobs.entry(row.name) else { return nil }
        var sections = [
            Detail.Section(
                "Blob",
                [
                    Detail.Line("bytes", String(entry.byteCount), .number),
                    Detail.Line("modified", entry.modified.iso8601, .timestamp),
                ])
        ]
        // A larger file is a picture or the like: its beginning tells nobody anything.
        if entry.byteCount <= 1 << 20 {
            let data = try blobs.data(at: row.name, limit: 1 << 20).prefix(Self.shownByteCount)
            if let text = String(data: data, encoding: .utf8) {
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                sections.append(
                    Detail.Section("Text", lines.map { Detail.Line("", String($0), .string) }))
            } else {
                sections.append(
                    Detail.Section(
                        "Bytes", [Detail.Line("", PropertyList.data(Data(data)).line, .data)]))
            }
        }
        return Detail(title: row.name, sections: sections)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        [CopyForm("path", row.name)]
    }
}
