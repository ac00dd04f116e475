import Replication
import TidelineCore

extension Model {
    /// Shows a pane and focuses its list.
    mutating func showPane(_ index: Int) {
        guard panes.indices.contains(index) else { return }
        if index != activePane { browsing.isFollowing = false }
        activePane = index
        focus = .list
        sidebar.cursor = index
    }

    /// Shows the pane with a number.
    mutating func showPane(number: Int) -> [Effect] {
        if let index = panes.firstIndex(where: { $0.number == number }) {
            let isShown = index == activePane
            showPane(index)
            return isShown ? leaveDifferences(of: index) : []
        } else if !panes.isEmpty {
            say(.info, "there is no tab \(number)")
        }
        return []
    }

    /// Shows the first tab whose name or title starts with a text.
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
            say(.warning, "no tab is called “\(text)”. Tabs: \(paneNames)")
        }
    }

    /// Focuses the next panel; if only one panel is visible, any panel.
    mutating func cycleFocus(by step: Int) {
        let layout = layout
        let regions = Region.focusable.filter { layout.isOneAtATime || layout.regions[$0] != nil }
        let index = regions.firstIndex(of: focus) ?? 0
        guard !regions.isEmpty else { return }
        focus = regions[((index + step) % regions.count + regions.count) % regions.count]
    }

    /// Focuses the panel to the left or right. From the leftmost one, leaves a nested list.
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
        // If only one panel is visible, Tab leads to the sidebar.
        if layout.isOneAtATime ? row[target] == .sidebar : layout.regions[row[target]] == nil {
            return []
        }
        focus = row[target]
        return []
    }

    /// Opens another store and shows it once it is open.
    ///
    /// - Parameter isBeside: Whether this store stays open.
    mutating func openStore(_ path: String, isBeside: Bool = false) -> [Effect] {
        let id = wait(for: .store(isBeside: isBeside), of: list?.source.id ?? SourceID(0))
        return [.openStore(id, path: path)]
    }

    /// Filters the list by device.
    mutating func showDevice(_ name: String) -> [Effect] {
        guard let list else { return [] }
        guard list.source.filterFields.contains(where: { $0.name == "device" }) else {
            say(.warning, "\(list.source.title) can't be filtered by device")
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

    /// Goes to a row of any pane and remembers the way back.
    ///
    /// - Parameter event: The event whose link is followed.
    mutating func follow(_ link: Detail.Link, from event: Int? = nil) -> [Effect] {
        guard let index = panes.firstIndex(where: { $0.id == link.pane }) else {
            say(.warning, "this store has no pane \(link.pane.name)")
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

    /// Opens a row, then nested rows, and selects the last one.
    mutating func go(along path: [RowID]) -> [Effect] {
        guard let row = path.first else { return [] }
        goTo(row)
        return path.count == 1 ? [] : open(row, showing: Array(path.dropFirst()))
    }

    /// Opens a row of the list on the way to a nested one.
    mutating func open(_ row: RowID, showing path: [RowID]) -> [Effect] {
        guard let list else { return [] }
        let id = wait(for: .open(row, showing: path), of: list.source.id)
        return [.open(id, list.source.id, row, at: instant)]
    }

    /// If the row of an event doesn't exist, shows the writes to it or goes back.
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
            say(.info, "\(row.name) was deleted. Showing its writes in \(title)")
            return
        }
        _ = back()
        focus = .events
        events.select(number: event)
        let title = list.source.title
        say(
            .info,
            isGone
                ? "\(row.name) was deleted from \(title)"
                : "\(row.name) is hidden by the filter of \(title)")
    }

    /// Goes to a row by name, in the list or in the pane named by the first word.
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

    /// Selects a row by identity.
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

    /// Goes back one step.
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
            say(
                .info,
                "highlighting of “\(list.searchText)” is off. Press \(key) for the next match")
            return []
        }
        if time != nil { return leavePast() }
        if let listing { return openStore(listing) }
        say(.info, "press \(keymap.hint(for: "quit")) to quit")
        return []
    }

    /// Closes nested lists.
    mutating func leaveInnerLists(of pane: Int, keeping count: Int) -> [Effect] {
        guard panes.indices.contains(pane), panes[pane].lists.count > count, count > 0 else {
            return []
        }
        let left = panes[pane].lists[count...]
        panes[pane].lists.removeSubrange(count...)
        return left.compactMap { $0.pending.map { .cancel($0.id) } }
            + [.release(left.map(\.source.id))]
    }

    /// Closes comparisons of two instants, with their nested lists.
    mutating func leaveDifferences(of pane: Int) -> [Effect] {
        guard panes.indices.contains(pane),
            let first = panes[pane].lists.firstIndex(where: \.isDifference)
        else { return [] }
        return leaveInnerLists(of: pane, keeping: first)
    }

    /// Shows a nested list, or a comparison of two instants.
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
