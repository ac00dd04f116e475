import TidelineCore

/// The state of a list: the requested rows, the loaded rows and the selection. The loaded rows are
/// a window around the visible ones. The selection follows the identity of a row. The index of the
/// row changes when rows are inserted or removed above it.
struct ListState: Hashable, Sendable {
    /// The reason why rows were requested, which decides how the response is used.
    enum Purpose: Hashable, Sendable {
        /// Rows around the visible ones, by number.
        case scroll
        /// The current rows, reloaded after a change.
        case refresh
        /// Rows for another filter, sort order or instant.
        case query
        /// The next row that contains a text. `from` is the start of the search.
        case search(String, from: Int, backwards: Bool)
        /// The row with an identity. If it doesn't exist, a warning names it.
        case goTo(RowID)
        /// The row that the user named: by identity, else by number, else by content.
        case named(String)
        /// A row, or the row in its place. The request is ignored if the list has neither row.
        case reveal(RowID)
        /// While following, a changed row, or the first row of a list whose newest rows come first.
        case follow(RowID?)
        /// All rows of the range that the user is marking.
        case range
    }

    struct Pending: Hashable, Sendable {
        var id: RequestID
        var request: WindowRequest
        var purpose: Purpose
    }

    var source: SourceInfo
    /// Whether the list shows the differences between two instants of its parent list.
    var isDifference = false
    /// Whether the list compares the store with another one.
    var isComparison = false
    /// The query that the loaded rows answer.
    var query: RowQuery
    /// The row of the parent list from which this list was opened.
    var opener: RowID?
    /// The lists of values from which the filter was chosen, oldest first.
    var chosenValues: [ChosenValue] = []
    /// The filter that the list was opened with, from a parent row or a link.
    var givenFilter = ""
    var rows: [Row] = []
    /// The number of the first loaded row.
    var start = 0
    var total = 0
    var isTotalExact = true
    /// The number of rows without a filter, once known.
    var wholeTotal: Int?
    /// Whether any answer has arrived.
    var isLoaded = false

    /// The number of the first visible row.
    var top = 0
    /// The number of the selected row.
    var cursor = 0
    /// The identity of the selected row, once known.
    var cursorID: RowID?
    /// The selected row, while an instant or a filter excludes it. When the row returns, it is
    /// selected again, unless the user has selected another row.
    var absentID: RowID?
    /// The terminal columns by which texts are scrolled to the left, except in frozen columns.
    var sideScroll = 0
    /// The number of terminal columns by which texts in frozen columns are scrolled to the left.
    private var frozenScroll = 0

    /// The marked rows, for copying, exporting and deleting several rows.
    var chosen: Set<RowID> = []
    /// The start of the range that the user is marking, and the rows that were marked before.
    var rangeAnchor: Int?
    private var rangeAnchorID: RowID?
    private var beforeRange: Set<RowID> = []
    /// The marked rows of the range, by number.
    private var rangeRows: [Int: RowID] = [:]
    /// The number of the selected row when the range was last extended.
    private var rangeEnd = 0
    /// Whether rows of the range that aren't loaded may have other numbers now.
    private var isRangeMoved = false
    /// Whether reading the rows of the range has failed or was canceled.
    private var isRangeUnread = false
    /// Whether a warning has been shown that some rows of the range were never loaded.
    var isRangeGapKnown = false
    /// The maximum number of rows of a range that are loaded to mark them.
    static let rangeLimit = 10_000
    /// Whether the user has moved in the list. Until the user moves, the first row is selected,
    /// even if another row becomes the first row.
    var isTouched = false

    /// The columns to show, in order; empty for all.
    var wantedColumns: [String] = []
    /// The user's column layout.
    var columnView = StoreView.Columns()
    /// The number of unfrozen columns that are scrolled away to the left.
    var columnScroll = 0
    /// The widths of the column contents seen so far. They never shrink, so that the columns stay
    /// in place while the list scrolls.
    var contentWidths: [Int] = []

    var pending: Pending?
    var answered: WindowRequest?
    /// The request to make once the pending request is answered.
    var wanted: Wanted?
    /// The version of the store that the loaded or requested rows belong to.
    var version = 0
    var searchText = ""
    /// Whether matches of the last search are highlighted.
    var marksHits = true
    /// The state before the search that is being typed.
    var searchStart: SearchStart?
    var problem: String?
    var filterProblem: FilterError?

    /// The state that leaving a search restores.
    struct SearchStart: Hashable, Sendable {
        var cursor: Int
        var cursorID: RowID?
        var top: Int
        var text: String
        var marksHits: Bool
    }

    /// A request that is not yet made.
    struct Wanted: Hashable, Sendable {
        var query: RowQuery
        var purpose: Purpose
    }

    init(source: SourceInfo, query: RowQuery = RowQuery()) {
        self.source = source
        self.query = query
        givenFilter = query.filter
        wanted = Wanted(query: query, purpose: .query)
    }

    /// Whether rows are requested or are about to be requested.
    var isAsked: Bool { pending != nil || wanted != nil }

    /// Returns the row at an index, if it is loaded.
    func row(at index: Int) -> Row? {
        let offset = index - start
        return rows.indices.contains(offset) ? rows[offset] : nil
    }

    var selectedRow: Row? { row(at: cursor) }
    /// Whether new rows appear at the start.
    var startsWithNewest: Bool { source.isNewestFirst && query.sort == nil }

    /// Returns the loaded rows that are visible in a height.
    func visibleRows(_ height: Int) -> ArraySlice<Row> {
        rows.dropFirst(max(0, top - start)).prefix(height)
    }

    /// Returns the column positions for a width.
    func spans(width: Int) -> [ColumnSpans.Span] {
        // A width set by the user doesn't depend on the column's content.
        let contents = zip(source.columns, contentWidths).map { column, content in
            columnView.widths[column.id] == nil ? content : 0
        }
        return ColumnSpans(widenedColumns, contents: contents, order: shownOrder, width: width)
            .spans
    }

    /// Returns the number of shown columns that don't fit.
    func leftOutCount(_ spans: [ColumnSpans.Span]) -> Int { shownOrder.count - spans.count }

    /// Returns the range of a column's title, including the sort arrow.
    func titleRange(of span: ColumnSpans.Span) -> Range<Int> {
        let column = source.columns[span.index]
        let sign = query.sort?.column == column.id ? 2 : 0
        let width = min(
            span.range.count, CharacterWidth.width(of: column.title.uppercased()) + sign)
        return column.alignment == .trailing
            ? span.range.upperBound - width..<span.range.upperBound
            : span.range.lowerBound..<span.range.lowerBound + width
    }

    /// Returns how many more columns the longest text of a loaded row needs.
    ///
    /// - Parameter isFrozen: Whether to measure the columns that stay in place. If `false`,
    ///   measures the columns that scroll.
    private func longestRest(width: Int, inFrozen isFrozen: Bool) -> Int {
        let frozen = frozenColumns
        let spans = spans(width: width).filter {
            $0.isFlexible && frozen.contains($0.index) == isFrozen
        }
        return rows.reduce(0) { most, row in
            spans.filter { row.cells.indices.contains($0.index) }.reduce(most) {
                max($0, CharacterWidth.width(of: row.cells[$1.index].text) - $1.range.count)
            }
        }
    }

    /// The number of columns that stay in place while the other columns scroll. By default, the
    /// first column stays, because it identifies the rows.
    var frozenCount: Int { max(0, columnView.frozen ?? 1) }

    /// The indices of the columns that stay in place.
    private var frozenColumns: ArraySlice<Int> { visibleOrder.prefix(frozenCount) }

    /// Returns the terminal columns by which the texts of a column are scrolled to the left.
    func textScroll(ofColumn index: Int) -> Int {
        // Return early, because most lists aren't scrolled.
        guard sideScroll != frozenScroll else { return sideScroll }
        return frozenColumns.contains(index) ? frozenScroll : sideScroll
    }

    /// The indices of all columns that aren't hidden, from left to right.
    var visibleOrder: [Int] {
        (columnOrder ?? Array(source.columns.indices)).filter {
            !columnView.hidden.contains(source.columns[$0].id)
        }
    }

    /// The indices of ``visibleOrder``, without the columns that are scrolled away.
    private var shownOrder: [Int] {
        let order = visibleOrder
        let frozen = min(frozenCount, order.count)
        return Array(order[..<frozen]) + order[frozen...].dropFirst(columnScroll)
    }

    private var widenedColumns: [Column] {
        guard !columnView.widths.isEmpty else { return source.columns }
        return source.columns.map { column in
            guard let width = columnView.widths[column.id] else { return column }
            return Column(
                column.id, column.title, minimumWidth: width, width: width,
                alignment: column.alignment, isSortable: column.isSortable,
                sortCost: column.sortCost)
        }
    }

    /// Scrolls sideways in three steps: first by column until the last column is visible, then
    /// within long texts, and finally within long texts of frozen columns. Scrolling back reverses
    /// the steps.
    ///
    /// - Parameter columns: The distance in terminal columns. Eight terminal columns scroll the
    ///   list by one of its columns.
    mutating func scrollSideways(by columns: Int, width: Int) {
        let step = columns / 8
        if columns < 0, sideScroll == 0, frozenScroll == 0 {
            columnScroll = max(0, columnScroll + max(step, -columnScroll))
        } else if columns > 0, leftOutCount(spans(width: width)) > 0 {
            let most = max(0, visibleOrder.count - frozenCount - 1)
            for _ in 0..<min(step, most) where leftOutCount(spans(width: width)) > 0 {
                columnScroll = min(columnScroll + 1, most)
            }
        } else {
            scrollTexts(by: columns, width: width)
        }
    }

    /// Whether columns or texts are cut off at the right.
    func isCutOff(width: Int) -> Bool {
        leftOutCount(spans(width: width)) > 0
            || [true, false].contains { longestRest(width: width, inFrozen: $0) > 0 }
    }

    /// Whether columns or texts are scrolled away at the left.
    var isScrolledSideways: Bool { columnScroll > 0 || sideScroll > 0 || frozenScroll > 0 }

    /// Scrolls within texts, at most to the end of the longest text.
    private mutating func scrollTexts(by columns: Int, width: Int) {
        let rest = longestRest(width: width, inFrozen: false)
        if columns > 0 ? sideScroll < rest : frozenScroll == 0 {
            sideScroll = sideScroll.moved(by: columns, of: rest + 1)
        } else {
            frozenScroll = frozenScroll.moved(
                by: columns, of: longestRest(width: width, inFrozen: true) + 1)
        }
    }

    /// The indices of the columns to show, in order; `nil` for all columns in the source's order.
    private var columnOrder: [Int]? {
        let order = wantedColumns.compactMap { name in
            source.columns.firstIndex { $0.names.contains(name) }
        }
        return order.isEmpty ? nil : order
    }

    /// Removes all marks, and ends the marking of a range.
    mutating func unmark() {
        rangeAnchor = nil
        chosen = []
    }

    /// Removes the marks of rows that were deleted.
    mutating func unmark(_ deleted: [RowID]) {
        chosen.subtract(deleted)
        beforeRange.subtract(deleted)
    }

    /// Returns the index of a row, if it is loaded.
    func index(of id: RowID) -> Int? {
        rows.firstIndex { $0.id == id }.map { $0 + start }
    }

    /// The query that applies once all requests are answered.
    var latestQuery: RowQuery { wanted?.query ?? pending?.request.query ?? query }

    /// Selects the row at an index, or the first or last row if the index is outside the list.
    mutating func select(_ index: Int) {
        cursor = max(0, min(index, total - 1))
        cursorID = row(at: cursor)?.id
        absentID = nil
    }

    /// Scrolls so that the selected row is visible.
    mutating func reveal(height: Int) {
        let height = max(1, height)
        top = min(top, cursor)
        top = max(top, cursor - height + 1)
        top = max(0, min(top, total - height))
    }

    /// Whether the user typed a filter in this list.
    var hasTypedFilter: Bool {
        !latestQuery.filter.isEmpty && latestQuery.filter != givenFilter
    }

    /// Requests rows for the latest query.
    mutating func want(_ purpose: Purpose) {
        wanted = Wanted(query: latestQuery, purpose: purpose)
    }

    /// Selects a row once it has loaded, or the row that the list shows in its place.
    mutating func reveal(_ row: RowID) {
        isTouched = true
        want(.reveal(row))
    }

    /// Changes the query. The selected row stays selected if it is still in the list.
    mutating func show(_ change: (inout RowQuery) -> Void) {
        var query = latestQuery
        change(&query)
        wanted = Wanted(query: query, purpose: .query)
    }

    /// Adopts a changed description of the source. If the column that the rows are sorted by
    /// no longer exists, the rows are requested in the standard order.
    mutating func adopt(_ source: SourceInfo) {
        self.source = source
        guard let sort = latestQuery.sort,
            !source.columns.contains(where: { $0.id == sort.column })
        else { return }
        show { $0.sort = nil }
    }

    mutating func beginSearch() {
        searchStart = SearchStart(
            cursor: cursor, cursorID: cursorID, top: top, text: searchText,
            marksHits: marksHits)
    }

    /// Searches for the next row that contains a text, from the start of the current search.
    mutating func search(_ text: String, backwards: Bool) {
        searchText = text
        marksHits = true
        guard !text.isEmpty else { return returnToSearchStart() }
        let from = searchStart?.cursor ?? cursor
        let purpose = Purpose.search(text, from: from, backwards: backwards)
        if wanted == nil, pending?.purpose == purpose { return }
        want(purpose)
    }

    mutating func leaveSearch() {
        guard let start = searchStart else { return }
        (searchText, marksHits) = (start.text, start.marksHits)
        returnToSearchStart()
        searchStart = nil
    }

    mutating func returnToSearchStart() {
        guard let start = searchStart else { return }
        (cursor, cursorID, top) = (start.cursor, start.cursorID, start.top)
        want(.refresh)
    }

    /// Records the widths of the loaded rows.
    mutating func measure() {
        let limit = 120
        let count = source.columns.count
        if contentWidths.count != count { contentWidths = [Int](repeating: 0, count: count) }
        for row in rows {
            // Timestamps adapt to the width of their column.
            for (index, cell) in row.cells.prefix(count).enumerated()
            where cell.instant == nil && contentWidths[index] < limit {
                let width = CharacterWidth.width(of: String(cell.text.prefix(limit)))
                contentWidths[index] = max(contentWidths[index], min(width, limit))
            }
        }
    }

    /// The rows that an action applies to: the marked rows, or else the selected row.
    var targets: [RowID] {
        if chosen.isEmpty { return selectedRow.map { [$0.id] } ?? [] }
        let visible = rows.map(\.id).filter(chosen.contains)
        let rest = chosen.subtracting(visible).sorted { $0.name < $1.name }
        return visible + rest
    }

    /// Whether a counter is selected. While writing is locked, it can't be changed.
    var hasCounter: Bool { source.edits[.count] != nil && selectedRow?.isCounter == true }

    /// Starts a range of marked rows at the selection, or ends it.
    mutating func toggleRange() {
        guard rangeAnchor == nil else {
            rangeAnchor = nil
            return
        }
        rangeAnchor = cursor
        rangeAnchorID = selectedRow?.id
        rangeEnd = cursor
        beforeRange = chosen
        rangeRows = [:]
        (isRangeMoved, isRangeUnread, isRangeGapKnown) = (false, false, false)
        extendRange()
    }

    private var range: ClosedRange<Int>? {
        guard let rangeAnchor, total > 0 else { return nil }
        return min(rangeAnchor, cursor)...max(rangeAnchor, cursor)
    }

    /// Whether rows between the range's anchor and the selection aren't marked, because the user
    /// jumped over them and they were never loaded.
    var hasRangeGap: Bool { range.map { rangeRows.count < $0.count } ?? false }

    /// Whether the rows of the range must be loaded to mark them.
    var lacksRangeRows: Bool {
        guard let range, range.count <= Self.rangeLimit, !isRangeUnread else { return false }
        return isRangeMoved || hasRangeGap
    }

    /// The request for all rows of the range.
    var rangeRequest: WindowRequest {
        let range = range ?? cursor...cursor
        let anchor = rangeAnchor ?? cursor
        let position = rangeAnchorID.map {
            WindowRequest.Position.row(
                $0, offset: anchor - range.lowerBound, fallback: anchor)
        }
        return WindowRequest(
            query: query, position: position ?? .index(range.lowerBound), count: range.count)
    }

    /// Marks the rows of the range in an answer to ``rangeRequest``.
    mutating func receiveRange(_ answer: Answer<RowWindow>) -> Notice? {
        let anchor = rangeAnchor
        if case .success(let window) = answer, anchor != nil {
            if let found = window.found ?? remainingAnchor(in: window) {
                rangeAnchor = found
                rangeAnchorID = window.row(at: found)?.id ?? rangeAnchorID
            }
            markRange(in: window.rows, from: window.start)
        }
        // If the anchor has moved, the range has other rows, which are requested next.
        if rangeAnchor == anchor, lacksRangeRows { cancelRange() }
        guard isRangeUnread, hasRangeGap else { return nil }
        return Notice(.warning, "the rows that you jumped over couldn't be read and aren't marked")
    }

    /// Returns the number of the range's row that is next to the deleted row of the anchor.
    private func remainingAnchor(in window: RowWindow) -> Int? {
        guard let rangeAnchor else { return nil }
        let numbers = Dictionary(
            window.rows.enumerated().map { ($1.id, window.start + $0) }, uniquingKeysWith: { $1 })
        return rangeRows.filter { numbers[$0.value] != nil }
            .min { abs($0.key - rangeAnchor) < abs($1.key - rangeAnchor) }
            .flatMap { numbers[$0.value] }
    }

    /// Stops loading the rows of the range.
    mutating func cancelRange() { isRangeUnread = true }

    /// Keeps the range on its rows after other rows were added or removed.
    ///
    /// - Parameter distance: The distance to move the anchor by if its row isn't loaded.
    mutating func moveRange(by distance: Int) {
        guard let anchor = rangeAnchor, total > 0 else { return }
        let found = rangeAnchorID.flatMap { index(of: $0) }
        let new = max(0, min(found ?? anchor + distance, total - 1))
        rangeAnchor = new
        if found != nil, let range, range.lowerBound >= start,
            range.upperBound < start + rows.count
        {
            return markRange(in: rows, from: start)
        }
        isRangeMoved = true
        guard new != anchor else { return }
        rangeEnd += new - anchor
        rangeRows = Dictionary(
            uniqueKeysWithValues: rangeRows.map { ($0.key + new - anchor, $0.value) })
    }

    /// Marks the rows of the range, which are among `rows`, and no other rows.
    private mutating func markRange(in rows: [Row], from start: Int) {
        rangeRows = [:]
        chosen = beforeRange
        (rangeEnd, isRangeMoved) = (cursor, false)
        mark(rows, from: start)
    }

    /// Marks the loaded rows between the range's anchor and the selection, and unmarks the rows
    /// that the range no longer contains. Does nothing while the range's rows must be loaded because
    /// they may have moved.
    mutating func extendRange() {
        guard let range, !(isRangeMoved && lacksRangeRows) else { return }
        // A step passes few rows; a jump can pass more rows than are marked.
        let passed = min(rangeEnd, cursor)...max(rangeEnd, cursor)
        let left =
            passed.count < rangeRows.count
            ? passed.filter { !range.contains($0) }
            : rangeRows.keys.filter { !range.contains($0) }
        for number in left {
            guard let id = rangeRows.removeValue(forKey: number) else { continue }
            if !beforeRange.contains(id) { chosen.remove(id) }
        }
        rangeEnd = cursor
        mark(rows, from: start)
    }

    private mutating func mark(_ rows: [Row], from start: Int) {
        guard let range else { return }
        for (offset, row) in rows.enumerated() where range.contains(start + offset) {
            rangeRows[start + offset] = row.id
            chosen.insert(row.id)
        }
    }
}
