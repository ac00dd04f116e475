import Foundation
import TidelineCore

/// The rows of a list as values: in a file, on the clipboard.
enum RowExport {
    /// Rows are read in pages of this many, and lists of more than `limit` refused.
    private static let page = 1_000
    static let limit = 5_000_000

    /// Writes every row that answers a query, or the chosen ones, in the order of their list.
    ///
    /// Each row is an object (a line), its columns by name, values in the forms of the command
    /// line. The file is there when all of it is.
    ///
    /// - Parameters:
    ///   - store: A package, in which only its devices write: no file is made in it.
    ///   - tell: Is told how many rows of the list were passed, of how many.
    /// - Returns: The number of rows.
    /// - Throws: ``RequestFailure`` when anything is at `path`, or it lies in the store;
    ///   `CancellationError` when its task is cancelled. Nothing is left of the file then.
    static func write(
        _ source: any RowSource, query: RowQuery, chosen: Set<RowID> = [],
        as format: ExportFormat = .json, to path: String, outside store: String,
        telling tell: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> Int {
        let file = try newFile(path, outside: store)
        do {
            var writer = ExportWriter(format)
            let count = try await write(source, query, chosen, &writer, to: file, tell)
            try Task.checkCancellation()
            try file.write(writer.end())
            try file.finish()
            return count
        } catch {
            file.discard()
            throw error
        }
    }

    /// Writes values that are at hand, as ``write(_:query:chosen:as:to:outside:telling:)`` does.
    static func write(
        _ records: [RowRecord], as format: ExportFormat, to path: String, outside store: String
    ) throws {
        let file = try newFile(path, outside: store)
        do {
            var writer = ExportWriter(format)
            for record in records { writer.add(record) }
            try file.write(writer.end())
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
    }

    private static func newFile(_ path: String, outside store: String) throws -> NewFile {
        let path = UserPath.expanded(path)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            .resolvingSymlinksInPath().standardizedFileURL.path
        let package = URL(fileURLWithPath: store).resolvingSymlinksInPath().standardizedFileURL.path
        if folder == package || folder.hasPrefix(package + "/") {
            throw RequestFailure(.other, "\(path) is inside the store, where only devices write")
        }
        return try NewFile(path)
    }

    private static func write(
        _ source: any RowSource, _ query: RowQuery, _ chosen: Set<RowID>,
        _ writer: inout ExportWriter, to file: NewFile, _ tell: (Int, Int) -> Void
    ) async throws -> Int {
        let query = chosen.isEmpty ? query : whole(query)
        var count = 0
        var next = 0
        while true {
            try Task.checkCancellation()
            let rows = try await self.page(source, query, from: next, count: page, limit: limit)
            let wanted =
                chosen.isEmpty ? rows.new : rows.new.filter { chosen.contains($0.id) }
            for record in try await source.records(of: wanted, at: query.instant) {
                writer.add(record)
                if writer.isFull { try file.write(writer.take()) }
            }
            count += wanted.count
            next += rows.new.count
            tell(next, max(next, rows.total))
            if rows.isLast || count == chosen.count && !chosen.isEmpty { return count }
        }
    }

    /// The list without its filter: rows that it hides were chosen all the same.
    private static func whole(_ query: RowQuery) -> RowQuery {
        RowQuery(sort: query.sort, instant: query.instant)
    }

    /// The forms in which rows that were chosen can be copied, in the order of their list.
    ///
    /// - Complexity: O(*n*) in the rows of the list.
    static func copyForms(
        of chosen: Set<RowID>, in source: any RowSource, _ query: RowQuery
    ) async throws -> [CopyForm] {
        guard chosen.count > 1 else { return [] }
        var rows: [Row] = []
        try await read(source, whole(query), page: page, limit: limit) { row in
            if chosen.contains(row.id) { rows.append(row) }
        }
        let lines = rows.map { $0.cells.map(\.text).joined(separator: "\t") }
        var writer = ExportWriter(.jsonLines)
        for record in try await source.records(of: rows, at: query.instant) { writer.add(record) }
        let json = String(decoding: writer.take(), as: UTF8.self)
        return [
            CopyForm(
                "\(rows.count) marked rows, separated by tabs", lines.joined(separator: "\n")),
            CopyForm("\(rows.count) marked rows, JSON", json),
        ]
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
            let rows = try await self.page(source, query, from: next, count: page, limit: limit)
            for row in rows.new { body(row) }
            next += rows.new.count
            if rows.isLast { return }
        }
    }

    private static func page(
        _ source: any RowSource, _ query: RowQuery, from next: Int, count: Int, limit: Int
    ) async throws -> (new: [Row], total: Int, isLast: Bool) {
        let window = try await source.window(
            WindowRequest(query: query, position: .index(next), count: count))
        guard window.total <= limit else {
            throw RequestFailure(
                .other, "\(window.total) rows are too many; filter them down to \(limit) first")
        }
        // At the end of a list, a window begins earlier than asked for.
        let new = Array(window.rows.dropFirst(max(0, next - window.start)))
        let isLast = new.isEmpty || window.isTotalExact && next + new.count >= window.total
        return (new, window.total, isLast)
    }
}
