import Replication
import TidelineCore

/// Rows as values, for files and the clipboard.
enum RowExport {
    /// The number of rows per page, and the maximum number of rows.
    private static let page = 1_000
    static let limit = 5_000_000

    /// Writes all rows that match a query, or the marked rows, in list order.
    ///
    /// Each row is an object or a line with the values of its columns. Values have the same form as
    /// in the command line's output. The file appears once it is complete.
    ///
    /// - Parameters:
    ///   - store: The path of the open store. No file is created in it, because only devices write
    ///     there.
    ///   - progress: Called with the number of rows read and the total.
    /// - Returns: The number of rows.
    /// - Throws: ``RequestFailure`` if `path` exists or lies in the store; `CancellationError` if
    ///   the task is canceled. No file is left in either case.
    static func write(
        _ source: any RowSource, query: RowQuery, chosen: Set<RowID> = [],
        as format: ExportFormat = .json, to path: String, outside store: String,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> Int {
        let file = try newFile(path, outside: store)
        let info = source.info
        var sql = ExportWriter.SQLNames(info.tableName ?? info.title)
        sql.createsTable = info.tableName == nil
        var writer = ExportWriter(format, sql: sql)
        let count = try await write(source, query, chosen, &writer, to: file, progress)
        try Task.checkCancellation()
        if writer.names == nil { writer.names = RowRecord.names(in: info) }
        try file.write(writer.end())
        try file.finish()
        return count
    }

    /// Writes values that are already loaded; see
    /// ``write(_:query:chosen:as:to:outside:progress:)``.
    static func write(
        _ records: [RowRecord], as format: ExportFormat, to path: String, outside store: String
    ) throws {
        let file = try newFile(path, outside: store)
        var sql = ExportWriter.SQLNames("events")
        sql.createsTable = true
        var writer = ExportWriter(format, sql: sql)
        for record in records { writer.add(record) }
        try file.write(writer.end())
        try file.finish()
    }

    /// Writes the value of a row; see ``write(_:query:chosen:as:to:outside:progress:)``.
    static func save(
        _ row: RowID, of source: any RowSource, at instant: Timestamp?, to path: String,
        outside store: String
    ) async throws {
        let file = try newFile(path, outside: store)
        let hasValue = try await source.writeValue(of: row, at: instant) { piece in
            try Task.checkCancellation()
            try file.write(Array(piece))
        }
        guard hasValue else {
            throw RequestFailure(
                .other, "this row has no single value to save; to save rows, use :export FILE")
        }
        try file.finish()
    }

    private static func newFile(_ path: String, outside store: String) throws -> NewFile {
        let path = UserPath.expanded(path)
        if path.isInside(storeAt: store) {
            throw RequestFailure(
                .other, "\(path) is inside the store; choose a path outside it")
        }
        return try NewFile(path)
    }

    private static func write(
        _ source: any RowSource, _ query: RowQuery, _ chosen: Set<RowID>,
        _ writer: inout ExportWriter, to file: NewFile, _ progress: (Int, Int) -> Void
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
            progress(next, max(next, rows.total))
            if rows.isLast || count == chosen.count && !chosen.isEmpty { return count }
        }
    }

    /// Returns the query without its filter, because the filter may hide marked rows.
    private static func whole(_ query: RowQuery) -> RowQuery {
        RowQuery(sort: query.sort, instant: query.instant)
    }

    /// Returns the forms in which the marked rows can be copied, in list order.
    ///
    /// - Complexity: O(*n*) in the number of rows in the list.
    static func copyForms(
        of chosen: Set<RowID>, in source: any RowSource, _ query: RowQuery
    ) async throws -> [CopyForm] {
        guard chosen.count > 1 else { return [] }
        var rows: [Row] = []
        try await read(source, whole(query), page: page, limit: limit) { row in
            if chosen.contains(row.id) { rows.append(row) }
        }
        let columns = source.info.columns
        let lines = rows.map { row in
            zip(columns, row.cells).filter { !$0.0.isDrawing }.map(\.1.text)
                .joined(separator: "\t")
        }
        var writer = ExportWriter(.jsonLines)
        for record in try await source.records(of: rows, at: query.instant) { writer.add(record) }
        let json = String(decoding: writer.take(), as: UTF8.self)
        return [
            CopyForm(
                "\(Counted.grouped(rows.count)) marked rows, tab-separated",
                lines.joined(separator: "\n")),
            CopyForm("\(Counted.grouped(rows.count)) marked rows, JSON", json),
        ]
    }

    /// Reads all rows that match a query, page by page.
    ///
    /// - Throws: ``RequestFailure`` if there are more than `limit` rows.
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
                .other,
                "too many rows: \(Counted.grouped(window.total)); filter the list to at most "
                    + Counted.grouped(limit)
            )
        }
        // At the end of a list, a window may start before the requested row.
        let new = Array(window.rows.dropFirst(max(0, next - window.start)))
        let isLast = new.isEmpty || window.isTotalExact && next + new.count >= window.total
        return (new, window.total, isLast)
    }
}
