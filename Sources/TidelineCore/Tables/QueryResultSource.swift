import Foundation
import GRDB
import Replication
import Synchronization
import Tables

/// The results of a query or a view: rows without keys, up to a limit.
final class QueryResultSource: RowSource {
    private let database: TableDatabase
    private let title: String
    private let collations: [String]
    private let query: ReadOnlyQuery
    private let state = Mutex<Result?>(nil)
    /// The maximum number of rows to keep.
    private static let limit = 100_000
    private static let byteLimit = 64 << 20
    /// The number of rows that determine the widths of columns.
    private static let sampleSize = 60

    private struct Result: Sendable {
        let stamp: FileStamp
        let titles: [String]
        let columns: [Column]
        let rows: RowList
        let isWhole: Bool
        let missingFunctions: [String]
        let missingCollations: [String]
    }

    /// Creates the results of a query.
    ///
    /// - Parameter collations: The missing collations of the view that the query reads.
    init(
        _ database: TableDatabase, _ title: String, _ sql: String, collations: [String] = []
    ) {
        self.database = database
        self.title = title
        self.collations = collations
        query = ReadOnlyQuery(sql)
    }

    /// Runs the query, so that its columns are known before the list is shown.
    func load(_ isCancelled: @escaping @Sendable () -> Bool) throws { _ = try result(isCancelled) }

    var info: ListInfo {
        let known = state.withLock { $0 }
        let columns = known?.columns ?? []
        let fields = columns.map { FilterField($0.id, .value, example: "\($0.id):a*") }
        let rest =
            known?.isWhole == false ? " (first \(Counted.text(known?.rows.count ?? 0, "row")))" : ""
        let note = NamedTable.titleNote(
            collations: known?.missingCollations ?? collations,
            functions: known?.missingFunctions ?? [])
        return ListInfo(
            title + rest + note, columns: columns, filterFields: fields, hasPast: false,
            whyNoAlert: "alerts are set in the list of a table")
    }

    private func result(_ isCancelled: @escaping @Sendable () -> Bool) throws -> Result {
        let known = state.withLock { $0 }
        let outcome = try database.file.read(
            unless: known?.stamp, instructionsPerByte: 5000, standsIn: !query.checksFile,
            isCancelled: isCancelled
        ) { db in (try query.missingFunctions(db), try run(db)) }
        guard case .read((let missing, let found), let stamp) = outcome else {
            if let known { return known }
            throw CoreError(.noAnswer, "the query was not run")
        }
        let needed = try query.missingCollations(in: database.file)
        let result = Result(
            stamp: stamp, titles: found.titles,
            columns: Self.columns(found.titles, of: found.rows.prefix(Self.sampleSize)),
            rows: RowList(found.rows), isWhole: found.isWhole,
            missingFunctions: missing,
            missingCollations: collations + needed.filter { !collations.contains($0) })
        state.withLock { $0 = result }
        return result
    }

    private func run(_ db: Database) throws -> (titles: [String], rows: [Row], isWhole: Bool) {
        var titles: [String] = []
        var rows: [Row] = []
        var byteCount = 0
        var isWhole = true
        try query.run(db, begin: { titles = Self.distinct($0) }) { values in
            guard rows.count < Self.limit, byteCount < Self.byteLimit else {
                isWhole = false
                return false
            }
            let cells = zip(titles, values).map { title, value in
                RowCell(
                    TableGrid.text(value, nil, nil, uuid: .init(columnNamed: title)),
                    TableGrid.role(value, isDate: false),
                    value: CellValue(TableCell(value: value, column: nil)))
            }
            for cell in cells { byteCount += 64 + cell.text.utf8.count }
            for case .blob(let data) in values { byteCount += data.count }
            rows.append(Row(id: RowID("result/\(rows.count + 1)"), cells: cells))
            return true
        }
        return (titles, rows, isWhole)
    }

    /// Returns columns that fit the first rows. Numbers are aligned as in the list of a table.
    private static func columns(_ titles: [String], of rows: ArraySlice<Row>) -> [Column] {
        titles.enumerated().map { index, title in
            let cells = rows.map { $0.cells[index] }
            let roles = Set(cells.map(\.role))
            let isNumber = roles.contains(.number) && roles.isSubset(of: [.number, .dim])
            return Column(
                title, title.uppercased(), fitting: cells.map(\.text),
                alignment: isNumber ? .trailing : .leading, isSortable: true)
        }
    }

    /// Makes names distinct, because each column is identified by its name.
    private static func distinct(_ names: [String]) -> [String] {
        var seen: [Name: Int] = [:]
        return names.map { name in
            let count = (seen[Name(name)] ?? 0) + 1
            seen[Name(name)] = count
            return count == 1 ? name : "\(name):\(count)"
        }
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let result = try await database.run { [self] in try self.result($0) }
        return try await result.rows.arranged(request.query, by: info).window(request)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let known = state.withLock({ $0 }), let index = known.rows.index(of: row) else {
            return nil
        }
        let lines = zip(known.titles, known.rows.rows(index..<index + 1)[0].cells).map {
            title, cell in
            Detail.Line(title, cell.text, cell.role)
        }
        return Detail(title: "\(title) \(index + 1)", sections: [Detail.Section("Row", lines)])
    }
}
