import Foundation
import Replication
import Synchronization
import Tables

/// The list of a table's rows as a grid, for any number of rows.
final class TableRowsSource: RowSource {
    let database: TableDatabase
    private let title: String
    /// The condition that selects rows by their references to or from another row.
    let condition: RowCondition?
    /// The order of the rows until the user chooses another order.
    private let order: RowSelection.Sort?
    private let state: Mutex<State>

    private struct State {
        var table: NamedTable
        var filterFields: [FilterField]
        var grid: TableGrid
        /// The reason why the rows can't be read with the current schema; `nil` if they can.
        var problem: CoreError?
        var pagers: [(query: RowQuery, pager: RowPager)] = []
        /// The recently shown rows, for detecting changes.
        var seen: [RowKey: [TableValue]] = [:]
        var newest: RowPosition?
    }

    init(
        _ database: TableDatabase, _ table: NamedTable, title: String, condition: RowCondition?,
        order: RowSelection.Sort?, grid: TableGrid
    ) {
        self.database = database
        self.title = title
        self.condition = condition
        self.order = order
        state = Mutex(
            State(table: table, filterFields: TableFilter.fields(of: table), grid: grid))
        database.register(self)
    }

    var table: NamedTable { state.withLock { $0.table } }
    var grid: TableGrid { state.withLock { $0.grid } }

    /// Adopts the current definition of the table, so that the list shows new columns and doesn't
    /// read deleted columns.
    ///
    /// - Returns: Whether the list has changed.
    func adopt(_ tables: DatabaseTables) -> Bool {
        let (known, before) = state.withLock { ($0.table, $0.problem) }
        guard let table = tables.table(known.name), table.schema.hasKeys else {
            state.withLock { state in
                state.problem = CoreError(
                    .noAnswer, "\(known.name) was deleted or renamed by another program")
                state.pagers = []
            }
            return before == nil
        }
        guard table != known || before != nil else { return false }
        do {
            let grid = try TableLists.grid(
                of: table, in: database, condition: condition,
                isCancelled: { [database] in database.isClosed })
            state.withLock { state in
                state.table = table
                state.filterFields = TableFilter.fields(of: table)
                state.grid = grid
                state.problem = nil
                state.pagers = []
                state.seen = [:]
            }
        } catch {
            state.withLock { $0.problem = CoreError(.badData, SessionFailure(error).reason) }
        }
        return true
    }

    func showNumbers(_ forms: [String: String]) async throws {
        let (table, shown) = state.withLock { ($0.table, $0.grid) }
        for column in table.columns where !column.isCoreDataDate {
            guard let form = forms[column.name] else { continue }
            if form == TableGrid.number.id {
                database.choose(nil, of: column.name, in: table)
            } else if let epoch = Epoch(rawValue: form) {
                database.choose(epoch, of: column.name, in: table)
            }
        }
        let grid = shown.counting(
            database.epochs(of: table), chosen: database.chosenColumns(of: table), of: table)
        state.withLock { state in
            // The grid of a new definition already has the chosen epochs.
            guard state.table == table else { return }
            state.grid = grid
            // Drop the pagers, because the new epoch changes the numbers that a date filter
            // compares.
            state.pagers = []
        }
        database.emit(.loaded)
    }

    var info: ListInfo {
        let (table, grid, filterFields) = state.withLock { ($0.table, $0.grid, $0.filterFields) }
        let availability = database.availability(of: table)
        let adding: Availability =
            table.entity == nil
            ? availability
            : .unavailable(
                because: "only the app itself can add and delete Core Data objects")
        var info = ListInfo(
            title + table.titleNote, columns: grid.columns, filterFields: filterFields,
            edits: [
                .set: availability, .add: adding, .duplicate: adding, .remove: adding,
                .rename: renaming ?? availability,
            ],
            valueKinds: [.string, .integer, .real, .boolean, .date, .data, .json, .null],
            addForm: AddForm(
                name: "column, or none", value: "value, or {\"column\": value}"),
            hasPast: false)
        info.tableName = table.name
        info.referringColumns = Set(table.columns.filter { $0.target != nil }.map(\.name))
        info.numberForms = TableGrid.numberForms
        for column in grid.named where !column.isCoreDataDate {
            info.formsOfColumns[column.name] =
                grid.epochs[column.name]?.rawValue ?? TableGrid.number.id
        }
        return info
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        try await database.run { [self] isCancelled in
            let (table, grid, problem) = state.withLock { ($0.table, $0.grid, $0.problem) }
            if let problem { throw problem }
            let columns = grid.named.map(\.schema.name)
            let pager = try pager(for: request.query, isCancelled)
            let place: RowPager.Place
            switch request.position {
            case .index(let number): place = .number(number)
            case .row(let row, let offset, let fallback):
                let key = TableGrid.key(row, of: table)
                place =
                    key.map { .row($0, offset: offset, fallback: fallback) } ?? .number(fallback)
            case .search(let text, let from, let backwards):
                let filter = try TableFilter(Self.quoted(text), table)
                let key = try filter.condition.flatMap {
                    try pager.row(
                        meeting: $0, from: from, backwards: backwards, isCancelled: isCancelled)
                }
                let offset = request.count / 2
                place = key.map { .row($0, offset: offset, fallback: from) } ?? .number(from)
            }
            let window = try load(pager, place, request.count, columns, isCancelled)
            return RowWindow(
                rows: window.rows.map { grid.row($0, of: table) }, start: window.start,
                total: window.total, isTotalExact: window.isTotalExact, found: window.found)
        }
    }

    /// Quotes a search text as a word of a filter.
    static func quoted(_ text: String) -> String {
        "\"" + text.replacingOccurrences(of: "\"", with: "") + "\""
    }

    private func load(
        _ pager: RowPager, _ place: RowPager.Place, _ count: Int, _ columns: [String],
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> RowPager.Window {
        let window = try pager.window(
            place, count: count, columns: columns, isCancelled: isCancelled)
        state.withLock { state in
            guard window.rows.count > 1 else { return }
            state.seen = Dictionary(
                window.rows.prefix(500).map { ($0.key, $0.values) }, uniquingKeysWith: { $1 })
        }
        return window
    }

    func condition(for query: RowQuery) throws(FilterError) -> RowCondition? {
        combined(try filter(for: query))
    }

    /// Returns the condition for the rows of this list that match a filter.
    private func combined(_ filter: TableFilter) -> RowCondition? {
        let filter = filter.condition
        return condition.flatMap { own in filter.map { own && $0 } } ?? condition ?? filter
    }

    private func filter(for query: RowQuery) throws(FilterError) -> TableFilter {
        let table = table
        return try TableFilter(query.filter, table, epochs: database.epochs(of: table))
    }

    private func pager(
        for query: RowQuery, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> RowPager {
        if let known = state.withLock({ $0.pagers.first { $0.query == query } }) {
            return known.pager
        }
        let filter = try filter(for: query)
        if let problem = try filter.problem(in: database.file, isCancelled: isCancelled) {
            throw problem
        }
        let table = table
        let sort =
            query.sort.map { RowSelection.Sort($0.column, isDescending: $0.isDescending) }
            ?? order
        let pager = try RowPager(
            database.file, table, table.selection(where: combined(filter), sort: sort))
        state.withLock { state in
            // Don't keep a pager that reads the columns of an earlier definition.
            guard state.table == table else { return }
            if state.pagers.count >= 4 { state.pagers.removeFirst() }
            state.pagers.append((query, pager))
        }
        count(pager)
        return pager
    }

    /// Counts the rows in the background while the list is shown.
    private func count(_ pager: RowPager) {
        TableDatabase.background.async { [weak self, weak pager] in
            guard let self, let pager, !database.isClosed else { return }
            let before = pager.count
            let goesOn = try? pager.advance(by: 1 << 16) { [weak self] in
                self?.database.isClosed ?? true
            }
            let now = pager.count
            if now != before, now.isExact || !before.isExact && before.total < 1000 {
                database.emit(.loaded)
            }
            if goesOn == true { count(pager) }
        }
    }

    /// Returns the changes of the recently shown rows.
    func changes() throws -> [RowID: RowMark] {
        let (table, grid, seen) = state.withLock { ($0.table, $0.grid, $0.seen) }
        guard state.withLock({ $0.problem }) == nil else { return [:] }
        let columns = grid.named.map(\.schema.name)
        let walk = try RowWalk(table.schema)
        let now = try database.file.read { db in
            try seen.keys.map { ($0, try walk.values(db, of: $0, columns)) }
        }.0
        var marks: [RowID: RowMark] = [:]
        for (key, values) in now where values != seen[key] {
            marks[TableGrid.id(key, of: table)] = values == nil ? .deleted : .changed
        }
        // Don't replace all values, because a window may have recorded other rows in the meantime.
        let pagers = state.withLock { state -> [RowPager] in
            for (key, values) in now { state.seen[key] = values }
            return state.pagers.map(\.pager)
        }
        guard let newest = try newRows(after: walk) else { return marks }
        for key in newest { marks[TableGrid.id(key, of: table)] = .new }
        for pager in pagers { count(pager) }
        return marks
    }

    /// Returns the rows with a greater rowid than the previous maximum; `nil` if the maximum is
    /// unknown.
    private func newRows(after walk: RowWalk) throws -> [RowKey]? {
        let before = state.withLock { $0.newest }
        let rows = try database.file.read { db in
            before == nil
                ? try walk.rows(db, columns: [], backwards: true, limit: 1)
                : try walk.rows(db, columns: [], from: before, limit: 500)
        }.0
        if let last = rows.last { state.withLock { $0.newest = last.position } }
        return before == nil ? nil : rows.map(\.key)
    }

    /// Records the last row, so that later rows are recognized as new.
    func noteNewest() throws { _ = try newRows(after: RowWalk(table.schema)) }

    /// Returns rows as records, with every column and with values that are too long for the list.
    ///
    /// - Throws: Errors from reading; ``TablesError`` with code `.unreadable` for a value that is
    ///   too long to export.
    func records(of rows: [Row], at instant: Timestamp?) async throws -> [RowRecord] {
        let (table, grid) = state.withLock { ($0.table, $0.grid) }
        let isWide = table.columns.count > grid.named.count
        let folder = ExternalFolder(of: database.file.path)
        let known = rows.map { row -> RowRecord? in
            guard !isWide, row.cells.allSatisfy({ $0.value?.isLoaded ?? true }) else { return nil }
            return RowRecord(
                zip(grid.columns, row.cells).map { column, cell in
                    let known = cell.value?.unwrapped(as: TableCell.self)
                    if let known, let column = known.column {
                        return column.member(known.value, in: folder)
                    }
                    return RowRecord.Member(column.id, cell.value?.json ?? .string(cell.text))
                })
        }
        let keys = zip(rows, known).compactMap { row, record in
            record == nil ? TableGrid.key(row.id, of: table) : nil
        }
        guard !keys.isEmpty else { return known.compactMap(\.self) }
        let loaded = try await database.run { [database] _ in
            let columns = table.columns.map(\.schema.name)
            let walk = try RowWalk(table.schema)
            return try database.file.read {
                try walk.rows($0, columns: columns, keys: keys, longest: RowStream.longestValue)
            }.0
        }
        let byKey = Dictionary(keepingFirst: loaded.map { ($0.key, $0) })
        return try zip(rows, known).compactMap { row, record in
            if let record { return record }
            guard let row = TableGrid.key(row.id, of: table).flatMap({ byKey[$0] }) else {
                return nil
            }
            try row.requireLoaded(table.columns.map(\.name))
            let members = zip(table.columns, row.values).map { $0.member($1, in: folder) }
            let key = RowRecord.Member("rowid", .verbatim(row.key.text))
            return RowRecord((grid.showsKey ? [key] : []) + members)
        }
    }
}
