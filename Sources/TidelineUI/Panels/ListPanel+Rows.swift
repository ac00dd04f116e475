import Replication
import TidelineCore

extension ListPanel {
    /// Stores the rows that a list requested. Answers to older requests are dropped.
    mutating func receive(
        _ id: RequestID, _ answer: Answer<RowWindow>, in context: ScreenContext
    ) -> [ScreenOutcome] {
        for pane in navigation.panes.indices {
            for index in navigation.panes[pane].lists.indices
            where navigation.panes[pane].lists[index].pending?.id == id {
                var list = navigation.panes[pane].lists[index]
                let asked = list.pending?.purpose
                // The rows reflect the current store, now that the whole store has loaded.
                let isCurrent =
                    !context.session.status.isLoading && list.version == context.session.version
                let word = list.receive(answer, height: context.layout.listHeight)
                navigation.panes[pane].lists[index] = list
                var outcomes: [ScreenOutcome] = isCurrent ? [.rowsAreCurrent] : []
                guard let word, pane == navigation.activePane else { return outcomes }
                outcomes.append(.notice(word.kind, word.text))
                if case .goTo(let row)? = asked, list.problem == nil {
                    outcomes.append(.rowMissing(row))
                }
                return outcomes
            }
        }
        return []
    }

    /// Requests the rows that the list needs and doesn't have.
    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect] {
        guard var list = navigation.list else { return [] }
        let (height, version) = (context.layout.listHeight, context.session.version)
        // Scroll up if there is space below the last row.
        if list.isLoaded { list.top = max(0, min(list.top, list.total - height)) }
        var effects: [Effect] = []
        if let row = navigation.wantedRow, list.total > 0, list.wanted == nil,
            list.pending == nil
        {
            list.reveal(row)
            navigation.wantedRow = nil
        }
        // A missing store can't be read, so keep the loaded rows.
        let isMissing = context.session.status.phase == .missing && !list.rows.isEmpty
        if list.wanted == nil, list.pending == nil, list.version != version, !isMissing {
            list.want(.refresh)
        }
        if list.wanted == nil, let pending = list.pending, list.isBeside(pending, height) {
            effects.append(.cancel(pending.id))
            list.pending = nil
        }
        if list.wanted == nil, list.isShort(of: height) {
            let wanted = ListState.Wanted(query: list.query, purpose: .scroll)
            // A source may have fewer rows than it reports. Repeating the last answered request
            // wouldn't return the missing rows.
            if list.request(for: wanted, height: height) != list.answered { list.wanted = wanted }
        }
        if list.isLoaded, list.wanted == nil, list.pending == nil, list.lacksRangeRows {
            list.want(.range)
        }
        if let wanted = list.wanted {
            if let pending = list.pending { effects.append(.cancel(pending.id)) }
            let id = requests.newID()
            let request = list.request(for: wanted, height: height)
            list.pending = .init(id: id, request: request, purpose: wanted.purpose)
            list.wanted = nil
            if wanted.purpose != .range { list.version = version }
            effects.append(.window(id, list.source.id, request))
        }
        navigation.list = list
        return effects
    }

    var isAwaited: Bool {
        guard let list = navigation.list, list.isLoaded else { return false }
        if list.lacksRangeRows { return true }
        switch list.wanted?.purpose ?? list.pending?.purpose {
        case .query, .search, .goTo, .named, .reveal, .range: return true
        case .follow, .refresh, .scroll, nil: return false
        }
    }

    mutating func cancelWait() -> [ScreenOutcome] {
        navigation.withList { list in
            if list.lacksRangeRows { list.cancelRange() }
            if list.wanted?.purpose.isCancelable == true { list.wanted = nil }
            guard let pending = list.pending, pending.purpose.isCancelable else { return [] }
            list.pending = nil
            return ScreenOutcome.cancel(pending.id)
        } ?? []
    }
}

extension ListState.Purpose {
    /// Whether Escape cancels the request. A request for another filter or instant continues,
    /// because the screen already shows that filter or instant.
    fileprivate var isCancelable: Bool {
        switch self {
        case .search, .goTo, .named, .reveal, .range: true
        case .query, .scroll, .refresh, .follow: false
        }
    }
}

extension ListState {
    /// Returns the number of rows to request: the visible rows, and as many rows above and below,
    /// so that paging is immediate.
    private static func windowCount(_ height: Int) -> Int {
        min(max(height * 3, height + 60), 1_000)
    }

    fileprivate func request(for wanted: Wanted, height: Int) -> WindowRequest {
        if wanted.purpose == .range { return rangeRequest }
        let count = Self.windowCount(height)
        let margin = (count - height) / 2
        let visible = WindowRequest.Position.index(max(0, top - margin))
        func around(_ row: RowID) -> WindowRequest.Position {
            .row(row, offset: margin + height / 2, fallback: cursor)
        }
        let position: WindowRequest.Position =
            switch wanted.purpose {
            case .scroll, .range: visible
            case .refresh, .query:
                if let id = absentID ?? cursorID, isTouched {
                    .row(id, offset: max(0, cursor - top) + margin, fallback: cursor)
                } else {
                    visible
                }
            case .goTo(let row), .reveal(let row), .follow(let row?): around(row)
            case .named(let text): around(RowID(text))
            case .follow(nil): .index(0)
            case .search(let text, let from, let backwards):
                .search(text, from: from, backwards: backwards)
            }
        return WindowRequest(query: wanted.query, position: position, count: count)
    }

    private func visible(_ height: Int) -> Range<Int> {
        let first = max(0, min(top, total))
        return first..<min(total, first + height)
    }

    /// Returns whether a scroll request is for rows that are no longer visible.
    fileprivate func isBeside(_ pending: Pending, _ height: Int) -> Bool {
        guard pending.purpose == .scroll, case .index(let first) = pending.request.position else {
            return false
        }
        let visible = visible(height)
        return visible.lowerBound < first || visible.upperBound > first + pending.request.count
    }

    /// Returns whether rows within half a page of the visible rows must be requested.
    fileprivate func isShort(of height: Int) -> Bool {
        guard isLoaded, total > 0, problem == nil, pending == nil else { return false }
        let visible = visible(height)
        let end = start + rows.count
        if visible.lowerBound < start || visible.upperBound > end { return true }
        let reserve = height / 2
        return (start > 0 && visible.lowerBound - start < reserve)
            || (end < total && end - visible.upperBound < reserve)
    }

    /// Stores an answer. Returns a notice for the user.
    fileprivate mutating func receive(_ answer: Answer<RowWindow>, height: Int) -> Notice? {
        guard let pending else { return nil }
        self.pending = nil
        if pending.purpose == .range { return receiveRange(answer) }
        answered = pending.request
        switch answer {
        case .failure(let failure):
            if let range = failure.filterRange {
                guard isLoaded else {
                    // A filter from the last run that is no longer valid is dropped.
                    query.filter = ""
                    wanted = Wanted(query: query, purpose: .query)
                    return Notice(
                        .warning, "dropped the filter from the last run: \(failure.message)")
                }
                filterProblem = FilterError(failure.message, at: range)
                return nil
            }
            problem = failure.message
            return nil
        case .success(let window):
            problem = nil
            if case .search(let text, let from, let backwards) = pending.purpose {
                return receiveHit(window, text, from: from, backwards: backwards, height: height)
            }
            let isOtherQuery = pending.request.query != query
            let isOtherFilter = pending.request.query.filter != query.filter
            query = pending.request.query
            if isOtherQuery {
                filterProblem = nil
                // The new query has other rows between the range's anchor and the selection.
                rangeAnchor = nil
            }
            if pending.purpose == .query { filterProblem = nil }
            return take(window, pending, isOtherFilter: isOtherFilter, height: height)
        }
    }

    private mutating func receiveHit(
        _ window: RowWindow, _ text: String, from: Int, backwards: Bool, height: Int
    ) -> Notice? {
        guard let found = window.found, let row = window.row(at: found) else {
            returnToSearchStart()
            return Notice(.warning, "no row contains “\(text)”")
        }
        isTouched = true
        let end = window.start + window.rows.count
        let isAround =
            window.start <= max(0, found - height) && end >= min(window.total, found + height)
        if self.row(at: found)?.id == row.id || isAround {
            if isAround {
                rows = window.rows
                start = max(0, window.start)
                total = max(window.total, end)
                isTotalExact = window.isTotalExact
            }
            cursor = found
            cursorID = row.id
            absentID = nil
            reveal(height: height)
            extendRange()
        } else {
            // The rows around the match are loaded before it is shown.
            wanted = Wanted(query: query, purpose: .goTo(row.id))
        }
        if backwards ? found >= from : found <= from {
            return Notice(
                .info, backwards ? "search wrapped to the end" : "search wrapped to the start")
        }
        return nil
    }

    private mutating func take(
        _ window: RowWindow, _ pending: Pending, isOtherFilter: Bool, height: Int
    ) -> Notice? {
        let wasLoaded = isLoaded
        let distance = cursor - top
        let (selected, place) = (cursorID, cursor)
        if isOtherFilter { contentWidths = [] }
        rows = window.rows
        measure()
        start = max(0, window.start)
        let (end, overflow) = start.addingReportingOverflow(rows.count)
        total = max(window.total, overflow ? start : end)
        isTotalExact = window.isTotalExact
        isLoaded = true
        if pending.request.query.filter.isEmpty, isTotalExact { wholeTotal = total }
        var notice: Notice?
        switch pending.purpose {
        case .goTo(let id):
            if let index = window.found, row(at: index)?.id == id {
                cursor = index
                absentID = nil
                top = index - height / 2
            } else {
                notice = Notice(.warning, "“\(id.name)” is not in this list")
            }
        case .named(let text):
            if let index = window.found, row(at: index)?.id == RowID(text) {
                cursor = index
                absentID = nil
                top = index - height / 2
            } else if let index = index(ofNumber: text) {
                cursor = index
                absentID = nil
            } else if let index = rows.firstIndex(where: { $0.cells.contains { $0.text == text } })
            {
                cursor = start + index
                absentID = nil
            } else {
                search(text, backwards: false)
            }
        case .reveal where window.found.flatMap { row(at: $0) } != nil:
            cursor = window.found ?? cursor
            absentID = nil
            top = min(top, cursor)
        case .follow(let row):
            cursor = row.map { index(of: $0) ?? cursor } ?? 0
            isTouched = true
            absentID = nil
        default:
            guard isTouched, wasLoaded, let wantedID = absentID ?? cursorID else { break }
            if let index = index(of: wantedID) ?? cursorID.flatMap({ index(of: $0) }) {
                cursor = index
                top = index - distance
            } else if case .row(let asked, _, _) = pending.request.position, asked == wantedID {
                // The row is no longer in the list. Select the row in its place or, with a new
                // filter, the first match.
                if isOtherFilter { cursor = 0 }
                if pending.request.query.instant != nil { absentID = wantedID }
            } else if row(at: cursor) != nil {
                // The row moved. Request it by identity.
                wanted = Wanted(query: query, purpose: .refresh)
                cursor = max(0, min(cursor, total - 1))
                reveal(height: height)
                return nil
            }
        }
        cursor = max(0, min(cursor, total - 1))
        let former = absentID ?? cursorID
        cursorID = row(at: cursor)?.id
        if isTouched, total == 0 {
            // The filter matches nothing. Select the row again when the filter is cleared.
            absentID = former
        } else if query.instant == nil || absentID == cursorID {
            absentID = nil
        }
        reveal(height: height)
        if pending.purpose != .scroll {
            moveRange(by: (selected.flatMap { index(of: $0) } ?? place) - place)
        }
        extendRange()
        if notice == nil, hasRangeGap, !lacksRangeRows, !isRangeGapKnown {
            notice = Notice(
                .warning, "the rows that you jumped over aren't marked; move by pages to mark them")
        }
        isRangeGapKnown = hasRangeGap && !lacksRangeRows
        return notice
    }

    /// Returns the index of the row that the user named by its number. The items of a list are
    /// numbered from 0, as their names show; all other rows are numbered from 1.
    private func index(ofNumber text: String) -> Int? {
        guard let number = Int(text), number >= 0 else { return nil }
        // Check all loaded rows: a single row can contain its number by chance, for example a
        // table's row with the key 0.
        let isFromZero =
            !rows.isEmpty
            && rows.enumerated().allSatisfy { $1.cells.first?.text == String(start + $0) }
        let index = isFromZero ? number : number - 1
        return (0..<total).contains(index) ? index : nil
    }
}

extension RowWindow {
    func row(at index: Int) -> Row? {
        rows.indices.contains(index - start) ? rows[index - start] : nil
    }
}
