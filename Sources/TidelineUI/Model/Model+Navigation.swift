import Replication
import TidelineCore

extension Model {
    /// Shows a pane and gives its list the focus.
    mutating func showPane(_ index: Int) {
        guard panes.indices.contains(index) else { return }
        if index != activePane { browsing.isFollowing = false }
        activePane = index
        focus = .list
        sidebar.cursor = index
    }

    /// Shows the pane that has a number.
    mutating func showPane(number: Int) -> [Effect] {
        if let index = panes.firstIndex(where: { $0.number == number }) {
            let isShown = index == activePane
            showPane(index)
            return isShown ? leaveDifferences(of: index) : []
        } else if !panes.isEmpty {
            say(.info, "there is no tab \(number) here")
        }
        return []
    }

    /// Shows the first tab whose name, or whose title, begins with a text.
    mutating func showPane(named text: String) {
        let text = text.trimmingPrefix(while: \.isWhitespace).lowercased()
        guard !text.isEmpty else { return }
        let names = panes.map {
            [$0.id.name, $0.id.text, $0.lists[0].source.title.lowercased()]
        }
        if let index = names.firstIndex(where: { $0.contains { $0.hasPrefix(text) } }) {
            showPane(index)
        } else if Self.eventsName.hasPrefix(text) {
            focus = .events
        } else {
            say(.warning, "there is no tab “\(text)”; there are \(paneNames)")
        }
    }

    /// Moves the focus to the next region; where one is shown at a time, to any region.
    mutating func cycleFocus(by step: Int) {
        let layout = layout
        let regions = Region.focusable.filter { layout.isOneAtATime || layout.regions[$0] != nil }
        let index = regions.firstIndex(of: focus) ?? 0
        guard !regions.isEmpty else { return }
        focus = regions[((index + step) % regions.count + regions.count) % regions.count]
    }

    /// Moves the focus to the region beside; at the left end out of an inner list.
    mutating func moveSideways(by step: Int) -> [Effect] {
        let layout = layout
        let row: [Region] = [.sidebar, .list, .inspector]
        let place = focus == .events ? .list : focus
        guard let index = row.firstIndex(of: place) else { return [] }
        let target = index + step
        if focus == .list, step < 0, panes.indices.contains(activePane),
            panes[activePane].lists.count > 1
        {
            return back()
        }
        guard row.indices.contains(target) else { return [] }
        // Where one region is shown at a time, the sidebar is reached by Tab.
        if layout.isOneAtATime ? row[target] == .sidebar : layout.regions[row[target]] == nil {
            return []
        }
        focus = row[target]
        return []
    }

    /// Opens another store, and shows it once it is open.
    ///
    /// - Parameter isBeside: Whether this one stays open.
    mutating func openStore(_ path: String, isBeside: Bool = false) -> [Effect] {
        let id = wait(for: .store(isBeside: isBeside), of: list?.source.id ?? SourceID(0))
        return [.openStore(id, path: path)]
    }

    /// Filters the list by a device.
    mutating func showDevice(_ name: String) -> [Effect] {
        guard let list else { return [] }
        guard list.source.filterFields.contains(where: { $0.name == "device" }) else {
            say(.warning, "\(list.source.title) cannot be filtered by device")
            return []
        }
        let text = "device:" + (name.contains(" ") ? "\"\(name)\"" : name)
        withList { $0.show { $0.filter = text } }
        focus = .list
        return []
    }

    mutating func follow(_ link: Detail.Link?, orSay text: String) -> [Effect] {
        if let link { return follow(link) }
        say(.info, text)
        return []
    }

    /// Goes to a row of some pane, and remembers the way back.
    ///
    /// - Parameter event: The event whose line leads there.
    mutating func follow(_ link: Detail.Link, from event: Int? = nil) -> [Effect] {
        guard let index = panes.firstIndex(where: { $0.id == link.pane }) else {
            say(.warning, "there is no pane called \(link.pane.name) here")
            return []
        }
        let origin = pane.map {
            ListRegion.Place(
                pane: $0.id, depth: $0.lists.count, row: $0.list.cursorID, event: event)
        }
        showPane(index)
        let effects = leaveInnerLists(of: index, keeping: 1)
        if let origin, event != nil || origin.pane != link.pane || origin.row != link.row {
            browsing.trail.append(origin)
            if browsing.trail.count > 100 { browsing.trail.removeFirst() }
        }
        withList { $0.givenFilter = $0.latestQuery.filter }
        return effects + go(along: link.inside + [link.row])
    }

    /// Goes to a row, opens it and goes to one inside, until the last.
    mutating func go(along path: [RowID]) -> [Effect] {
        guard let row = path.first else { return [] }
        goTo(row)
        return path.count == 1 ? [] : open(row, showing: Array(path.dropFirst()))
    }

    /// Opens a row of the list, to go to one inside.
    mutating func open(_ row: RowID, showing path: [RowID]) -> [Effect] {
        guard let list else { return [] }
        let id = wait(for: .open(row, showing: path), of: list.source.id)
        return [.open(id, list.source.id, row, at: instant)]
    }

    /// Leads on from an event whose row is not there: to what was written to it, or back.
    mutating func leadOn(to row: RowID) {
        guard let event = browsing.trail.last?.event, let list else { return }
        let isGone = list.latestQuery.filter.isEmpty
        if isGone, let writes = list.source.writes,
            let index = panes.firstIndex(where: { $0.id == writes.pane })
        {
            showPane(index)
            setFilter("\(writes.field):" + FilterCompletion.quoted(row.name))
            withList { $0.givenFilter = $0.latestQuery.filter }
            let title = panes[index].lists[0].source.title
            say(.info, "\(row.name) is gone: \(title) has what was written to it")
            return
        }
        _ = back()
        focus = .events
        events.select(number: event)
        let title = list.source.title
        say(
            .info,
            isGone
                ? "\(row.name) is gone from \(title)"
                : "\(row.name) is not among the rows that the filter of \(title) leaves")
    }

    /// Goes to the row that a person names: of the list, or of the pane that the first word names.
    mutating func goTo(named text: String) -> [Effect] {
        let words = text.split(separator: " ", maxSplits: 1)
        if words.count == 2, let index = panes.map(\.id).index(ofPaneNamed: String(words[0])) {
            focus = .list
            let name = String(words[1])
            let effects = follow(.init(pane: panes[index].id, row: RowID(name)))
            selectRow(named: name)
            return effects
        }
        focus = .list
        selectRow(named: text)
        return []
    }

    private mutating func selectRow(named text: String) {
        withList { list in
            list.isTouched = true
            list.want(.row(RowID(text)), for: .named(text))
        }
    }

    /// Selects a row of the list by its identity.
    mutating func goTo(_ row: RowID) {
        let height = layout.listHeight
        withList { list in
            list.isTouched = true
            if let index = list.index(of: row), list.wanted == nil, list.pending == nil {
                list.select(index)
                list.reveal(height: height)
            } else {
                list.want(.row(row), for: .goTo(row))
            }
        }
    }

    /// Takes back one step of the way here.
    mutating func back() -> [Effect] {
        if let export { return stopExport(export) }
        if focus != .list {
            if !focus.module.endFilter(in: &self) { focus = .list }
            return []
        }
        guard let list else { return [] }
        if list.rangeAnchor != nil || !list.chosen.isEmpty {
            withList {
                $0.rangeAnchor = nil
                $0.chosen = []
            }
            return []
        }
        if list.hasTypedFilter, let pane, pane.lists.count > 1 || !browsing.trail.isEmpty {
            setFilter(pane.lists.count > 1 ? list.givenFilter : "")
            return []
        }
        if let pane, pane.lists.count > 1 {
            return leaveInnerLists(of: activePane, keeping: pane.lists.count - 1)
        }
        if let place = browsing.trail.popLast() {
            guard let index = panes.firstIndex(where: { $0.id == place.pane }) else { return [] }
            showPane(index)
            if let row = place.row, panes[index].lists.count == place.depth { goTo(row) }
            if let event = place.event {
                events.select(number: event)
                focus = .events
            }
            return []
        }
        if !list.latestQuery.filter.isEmpty {
            setFilter("")
            return []
        }
        if !list.searchText.isEmpty, list.marksHits {
            withList { $0.marksHits = false }
            let key = keymap.hint(for: "search-next")
            say(.info, "“\(list.searchText)” is no longer marked; \(key) finds the next")
            return []
        }
        if time != nil { return leavePast() }
        if let listing { return openStore(listing) }
        say(.info, "\(keymap.hint(for: "quit")) quits")
        return []
    }

    /// Closes lists that were opened inside rows.
    mutating func leaveInnerLists(of pane: Int, keeping count: Int) -> [Effect] {
        guard panes.indices.contains(pane), panes[pane].lists.count > count, count > 0 else {
            return []
        }
        let left = panes[pane].lists[count...]
        panes[pane].lists.removeSubrange(count...)
        return left.compactMap { $0.pending.map { .cancel($0.id) } }
            + [.release(left.map(\.source.id))]
    }

    /// Closes what compares two instants of a list, with what was opened in it.
    mutating func leaveDifferences(of pane: Int) -> [Effect] {
        guard panes.indices.contains(pane),
            let first = panes[pane].lists.firstIndex(where: \.isDifference)
        else { return [] }
        return leaveInnerLists(of: pane, keeping: first)
    }

    /// Shows a list that was opened inside a row, or compares two instants of the list.
    mutating func enter(_ source: SourceInfo, filter: String = "", isDifference: Bool = false) {
        guard panes.indices.contains(activePane) else { return }
        let query = RowQuery(filter: filter, instant: instant)
        var list = ListState(source: source, query: query)
        list.isDifference = isDifference
        list.columnView =
            columnViews[columnKey(of: list, in: panes[activePane].id)] ?? list.columnView
        panes[activePane].lists.append(list)
        focus = .list
    }

    mutating func setFilter(_ text: String) {
        withList {
            $0.filterProblem = nil
            $0.show { $0.filter = text }
        }
    }
}
