import TidelineCore

/// One list on the screen: which rows of a source are wanted, which of them are at hand, and which
/// one is selected.
///
/// The rows at hand are a window around the visible ones. The selection belongs to a row's
/// identity; its number follows when rows come and go above it.
struct ListState: Hashable, Sendable {
    /// Why rows were asked for, which says how the answer is taken.
    enum Purpose: Hashable, Sendable {
        /// Rows around the visible ones, by number.
        case scroll
        /// The same rows anew, because something changed.
        case refresh
        /// Rows for another filter, sort order or instant.
        case query
        /// The next row with a text; `from` is where the search began.
        case search(String, from: Int, backwards: Bool)
        /// The row with an identity, named in the complaint when it is not there.
        case goTo(RowID)
        /// The row that a person names: by its identity, else by its number, else by what it holds.
        case named(String)
        /// A row that was just written, if it is among these.
        case reveal(RowID)
        /// What is new, because it is followed.
        case follow
    }

    struct Pending: Hashable, Sendable {
        var id: RequestID
        var request: WindowRequest
        var purpose: Purpose
    }

    struct FilterProblem: Hashable, Sendable {
        var message: String
        var range: Range<Int>
    }

    var source: SourceInfo
    /// Whether it shows what differs between two instants of the list that it was opened in.
    var isDifference = false
    /// The query that the rows at hand answer.
    var query: RowQuery
    /// The filter that a person found here, having opened the list inside a row or come by a link.
    var givenFilter = ""
    var rows: [Row] = []
    /// The number of the first row at hand.
    var start = 0
    var total = 0
    var isTotalExact = true
    /// How many rows there are without a filter, once that was seen.
    var wholeTotal: Int?
    /// Whether an answer ever came.
    var isLoaded = false

    /// The number of the first visible row.
    var top = 0
    /// The number of the selected row.
    var cursor = 0
    /// Its identity, once it was seen.
    var cursorID: RowID?
    /// The row that was selected before an instant was shown at which it is not there, or a filter
    /// that leaves nothing. It is selected again where it is, unless a person selects another one.
    var absentID: RowID?
    /// By how many cells the cells' texts are shifted to the left.
    var sideScroll = 0

    /// Rows chosen one by one, for copying and removing many.
    var chosen: Set<RowID> = []
    /// Where a range that is being chosen began, and what was chosen before it.
    var rangeAnchor: Int?
    var beforeRange: Set<RowID> = []
    /// Whether a person ever moved here. Until then the selection is the first row, whichever it
    /// is.
    var isTouched = false

    /// The columns that a person wants to see, in that order; empty: all.
    var wantedColumns: [String] = []
    /// How a person wants the others.
    var columnView = StoreView.Columns()
    /// How many of the columns behind the frozen ones are scrolled away to the left.
    var columnScroll = 0
    /// How wide the contents of the columns are, as far as they were seen. They grow only, so that
    /// columns do not jump about while rows pass by.
    var contentWidths: [Int] = []

    var pending: Pending?
    /// The request that was answered last.
    var answered: WindowRequest?
    /// A request to make as soon as the pending one is answered.
    var wanted: Wanted?
    /// The version of the store that the rows at hand, or those asked for, are of.
    var version = 0
    /// What the last search looked for.
    var searchText = ""
    /// Whether what it looked for is marked in the rows.
    var marksHits = true
    /// Where a search began that is still being typed.
    var searchStart: SearchStart?
    var problem: String?
    var filterProblem: FilterProblem?

    /// What leaving a search brings back.
    struct SearchStart: Hashable, Sendable {
        var cursor: Int
        var cursorID: RowID?
        var top: Int
        var text: String
        var marksHits: Bool
    }

    /// A request that waits to be made.
    struct Wanted: Hashable, Sendable {
        var query: RowQuery
        var position: Position
        var purpose: Purpose

        /// A position whose window is laid out when the request is made.
        enum Position: Hashable, Sendable {
            case visible
            case selection
            case row(RowID)
            case search(String, from: Int, backwards: Bool)
            case index(Int)
        }
    }

    init(source: SourceInfo, query: RowQuery = RowQuery()) {
        self.source = source
        self.query = query
        givenFilter = query.filter
        wanted = Wanted(query: query, position: .index(0), purpose: .query)
    }

    /// Whether rows were asked for, or are about to be.
    var isAsked: Bool { pending != nil || wanted != nil }

    /// The row with a number, when it is at hand.
    func row(at index: Int) -> Row? {
        let offset = index - start
        return rows.indices.contains(offset) ? rows[offset] : nil
    }

    var selectedRow: Row? { row(at: cursor) }

    /// Those of the rows at hand that are visible where so many have space.
    func visibleRows(_ height: Int) -> ArraySlice<Row> {
        rows.dropFirst(max(0, top - start)).prefix(height)
    }

    /// Where its columns stand in a width.
    func spans(width: Int) -> [ColumnSpans.Span] {
        // A width that a person chose is kept, whatever stands in the column.
        let contents = zip(source.columns, contentWidths).map { column, content in
            columnView.widths[column.id] == nil ? content : 0
        }
        return ColumnSpans(widenedColumns, contents: contents, order: shownOrder, width: width)
            .spans
    }

    /// How many of the columns that are wanted have no span.
    func leftOutCount(_ spans: [ColumnSpans.Span]) -> Int { shownOrder.count - spans.count }

    /// Where the title of a column stands in its span, with the sign of the order.
    func titleRange(of span: ColumnSpans.Span) -> Range<Int> {
        let column = source.columns[span.index]
        let sign = query.sort?.column == column.id ? 2 : 0
        let width = min(
            span.range.count, CharacterWidth.width(of: column.title.uppercased()) + sign)
        return column.alignment == .trailing
            ? span.range.upperBound - width..<span.range.upperBound
            : span.range.lowerBound..<span.range.lowerBound + width
    }

    /// Whether a text of the rows at hand is longer than its column.
    func hasCutText(width: Int) -> Bool { longestRest(width: width) > 0 }

    /// How many columns the longest text of a row at hand needs beyond those that it has.
    private func longestRest(width: Int) -> Int {
        let spans = spans(width: width).filter(\.isFlexible)
        return rows.reduce(0) { most, row in
            spans.filter { row.cells.indices.contains($0.index) }.reduce(most) {
                max($0, CharacterWidth.width(of: row.cells[$1.index].text) - $1.range.count)
            }
        }
    }

    /// How many columns stay at the left while the others are scrolled.
    var frozenCount: Int { max(0, columnView.frozen ?? (source.isGrid ? 1 : 0)) }

    /// The places of all columns that are not hidden, as they stand from left to right.
    var visibleOrder: [Int] {
        (columnOrder ?? Array(source.columns.indices)).filter {
            !columnView.hidden.contains(source.columns[$0].id)
        }
    }

    /// The same without those that are scrolled away.
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

    /// Scrolls sideways: in a grid by columns as long as there are some beyond the edge, then, as in
    /// any other list, within long texts.
    mutating func scrollSideways(by columns: Int, width: Int) {
        let step = columns / 8
        guard source.isGrid, step != 0, columns < 0 ? sideScroll == 0 : true else {
            scrollTexts(by: columns, width: width)
            return
        }
        let isWhole = spans(width: width).last?.index == shownOrder.last
        if step > 0, isWhole {
            scrollTexts(by: columns, width: width)
        } else {
            let most = max(1, visibleOrder.count - frozenCount)
            columnScroll = columnScroll.moved(by: step, of: most)
        }
    }

    /// Not beyond the end of the longest: the way back would begin with keys that do nothing.
    private mutating func scrollTexts(by columns: Int, width: Int) {
        sideScroll = sideScroll.moved(by: columns, of: longestRest(width: width) + 1)
    }

    /// The places of the wanted columns among those of the source; `nil`: as they are.
    private var columnOrder: [Int]? {
        let order = wantedColumns.compactMap { name in
            source.columns.firstIndex { $0.id == name || $0.title.lowercased() == name }
        }
        return order.isEmpty ? nil : order
    }

    /// The number of a row, when it is at hand.
    func index(of id: RowID) -> Int? {
        rows.firstIndex { $0.id == id }.map { $0 + start }
    }

    /// The query that will be shown when what is wanted or pending is answered.
    var latestQuery: RowQuery { wanted?.query ?? pending?.request.query ?? query }

    /// Selects the row with a number, held to the list.
    mutating func select(_ index: Int) {
        cursor = max(0, min(index, total - 1))
        cursorID = row(at: cursor)?.id
        absentID = nil
    }

    /// Moves the visible part so that the selected row is in it.
    mutating func reveal(height: Int) {
        let height = max(1, height)
        top = min(top, cursor)
        top = max(top, cursor - height + 1)
        top = max(0, min(top, total - height))
    }

    /// Whether it has a filter that was typed here.
    var hasTypedFilter: Bool {
        !latestQuery.filter.isEmpty && latestQuery.filter != givenFilter
    }

    /// Asks for rows that answer the query.
    mutating func want(_ position: Wanted.Position, for purpose: Purpose) {
        wanted = Wanted(query: latestQuery, position: position, purpose: purpose)
    }

    /// Asks for other rows of the source; the selected row stays selected where it is among them.
    mutating func show(_ change: (inout RowQuery) -> Void) {
        var query = latestQuery
        change(&query)
        wanted = Wanted(query: query, position: .selection, purpose: .query)
    }

    mutating func beginSearch() {
        searchStart = SearchStart(
            cursor: cursor, cursorID: cursorID, top: top, text: searchText,
            marksHits: marksHits)
    }

    /// Looks for the next row with a text, from where the search that is being typed began.
    mutating func search(_ text: String, backwards: Bool) {
        searchText = text
        marksHits = true
        guard !text.isEmpty else { return returnToSearchStart() }
        let from = searchStart?.cursor ?? cursor
        let purpose = Purpose.search(text, from: from, backwards: backwards)
        if wanted == nil, pending?.purpose == purpose { return }
        want(.search(text, from: from, backwards: backwards), for: purpose)
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
        want(.selection, for: .refresh)
    }

    /// Takes note of how wide the rows at hand are.
    mutating func measure() {
        let limit = 120
        let count = source.columns.count
        if contentWidths.count != count { contentWidths = [Int](repeating: 0, count: count) }
        for row in rows {
            // An instant is drawn in the form that its column has space for.
            for (index, cell) in row.cells.prefix(count).enumerated()
            where cell.instant == nil && contentWidths[index] < limit {
                let width = CharacterWidth.width(of: String(cell.text.prefix(limit)))
                contentWidths[index] = max(contentWidths[index], min(width, limit))
            }
        }
    }

    /// The rows that an action is about: the chosen ones, or else the selected one.
    var targets: [RowID] {
        if chosen.isEmpty { return selectedRow.map { [$0.id] } ?? [] }
        let visible = rows.map(\.id).filter(chosen.contains)
        let rest = chosen.subtracting(visible).sorted { $0.name < $1.name }
        return visible + rest
    }

    /// Chooses the rows between the anchor of a range and the selection, as far as they are known.
    mutating func extendRange() {
        guard let rangeAnchor else { return }
        let range = min(rangeAnchor, cursor)...max(rangeAnchor, cursor)
        for (offset, row) in rows.enumerated() {
            if range.contains(start + offset) {
                chosen.insert(row.id)
            } else if !beforeRange.contains(row.id) {
                chosen.remove(row.id)
            }
        }
    }
}
