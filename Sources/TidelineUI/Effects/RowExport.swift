import Foundation
import TidelineCore

/// The rows of a list in a file.
enum RowExport {
    /// Writes every row that answers a query as a JSON array of objects, a text a column.
    ///
    /// - Parameter store: A package, in which only its devices write: no file is made in it.
    /// - Returns: The number of rows.
    /// - Throws: ``RequestFailure`` when the file exists, or lies in the store.
    static func write(
        _ source: any RowSource, query: RowQuery, to path: String, outside store: String
    ) async throws -> Int {
        let path = (path as NSString).expandingTildeInPath
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            .resolvingSymlinksInPath().standardizedFileURL.path
        let package = URL(fileURLWithPath: store).resolvingSymlinksInPath().standardizedFileURL.path
        if folder == package || folder.hasPrefix(package + "/") {
            throw RequestFailure(.other, "\(path) lies in the store, where only devices write")
        }
        var objects: [[String: String]] = []
        let columns = source.columns
        try await read(source, query, page: 2_000, limit: 5_000_000) { row in
            var object = ["id": row.id.name]
            for (column, cell) in zip(columns, row.cells) { object[column.id] = cell.text }
            objects.append(object)
        }
        let data = try JSONSerialization.data(
            withJSONObject: objects, options: [.sortedKeys, .prettyPrinted])
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            throw RequestFailure(.other, "\(path) exists already")
        } catch {
            throw RequestFailure(.other, "\(path) cannot be written: \(error.localizedDescription)")
        }
        return objects.count
    }

    /// Reads every row that answers a query, page by page.
    ///
    /// - Throws: ``RequestFailure`` for more than `limit` rows.
    static func read(
        _ source: any RowSource, _ query: RowQuery, page: Int, limit: Int, _ body: (Row) -> Void
    ) async throws {
        var next = 0
        while true {
            try Task.checkCancellation()
            let window = try await source.window(
                WindowRequest(query: query, position: .index(next), count: page))
            guard window.total <= limit else {
                throw RequestFailure(
                    .other, "\(window.total) rows are too many: filter them to \(limit) first")
            }
            // At the end of a list, a window begins earlier than asked for.
            let new = window.rows.dropFirst(max(0, next - window.start))
            for row in new { body(row) }
            next += new.count
            if new.isEmpty || next >= window.total { return }
        }
    }
}
