import Replication
import TidelineCore

extension Model {
    /// Shows a pane and focuses its list.
    mutating func showPane(_ index: Int) {
        guard navigation.panes.indices.contains(index) else { return }
        if index != navigation.activePane { panelStates.list.isFollowing = false }
        navigation.activePane = index
        panels.focus = .list
        panelStates.sidebar.cursor = index
    }

    mutating func showPane(number: Int) -> [Effect] {
        if let index = navigation.panes.firstIndex(where: { $0.number == number }) {
            let isShown = index == navigation.activePane
            showPane(index)
            return isShown ? navigation.leaveDifferences(of: index) : []
        } else if !navigation.panes.isEmpty {
            say(.info, "no tab \(number)")
        }
        return []
    }

    /// Shows the first tab whose name or title starts with a text.
    mutating func showPane(named text: String) {
        let text = text.trimmingPrefix(while: \.isWhitespace).lowercased()
        guard !text.isEmpty else { return }
        let names = navigation.panes.map {
            [$0.id.name, $0.id.text, $0.lists[0].source.title.lowercased()]
        }
        if let index = names.firstIndex(where: { $0.contains { $0.hasPrefix(text) } }) {
            showPane(index)
        } else if Navigation.eventsName.hasPrefix(text) {
            panels.focus = .events
        } else {
            say(.warning, "no tab is called “\(text)”; choose one of \(navigation.paneNames)")
        }
    }

    /// Focuses the next panel. If only one panel is visible, includes hidden panels.
    mutating func cycleFocus(by step: Int) {
        let layout = layout
        let shown = Panel.focusable.filter { layout.isOneAtATime || layout.panels[$0] != nil }
        let index = shown.firstIndex(of: panels.focus) ?? 0
        guard !shown.isEmpty else { return }
        panels.focus = shown[index.cycled(by: step, of: shown.count)]
    }

    /// Focuses the panel to the left or right. Moving left from a nested list leaves it.
    mutating func moveSideways(by step: Int) -> [Effect] {
        let layout = layout
        let row: [Panel] = [.sidebar, .list, .inspector]
        let place = panels.focus == .events ? .list : panels.focus
        guard let index = row.firstIndex(of: place) else { return [] }
        let target = index + step
        if panels.focus == .list, step < 0, let pane, pane.lists.count > 1 { return stepBack() }
        guard row.indices.contains(target) else { return [] }
        // If only one panel is visible, only Tab leads to the sidebar.
        if layout.isOneAtATime ? row[target] == .sidebar : layout.panels[row[target]] == nil {
            return []
        }
        panels.focus = row[target]
        return []
    }

    /// Opens another store, in place of the current store or beside it, and shows it.
    mutating func openStore(_ path: String, isBeside: Bool = false) -> [Effect] {
        let id = requests.wait(for: .store(isBeside: isBeside), of: list?.source.id ?? SourceID(0))
        return [.openStore(id, path: path)]
    }

    /// Lists the differences between this store and another store.
    mutating func compare(with path: String) -> [Effect] {
        guard let list else { return [] }
        say(.info, "comparing …")
        return [
            .compare(requests.wait(for: .comparison, of: list.source.id), path: path, at: instant)
        ]
    }

    mutating func showDevice(_ name: String) -> [Effect] {
        guard let list else { return [] }
        guard list.source.filterFields.contains(where: { $0.name == "device" }) else {
            return say(.warning, "\(list.source.title) can't be filtered by device")
        }
        let text = "device:" + (name.contains(" ") ? "\"\(name)\"" : name)
        let devices = session.status.devices
        if let filter = try? Filter(text, fields: AlertRule.fields), !devices.isEmpty,
            !devices.contains(where: {
                filter.passes(DeviceNames(names: [$0.id.name, $0.name]))
            })
        {
            return say(.warning, "this store has no device “\(name)”")
        }
        navigation.withList { $0.show { $0.filter = text } }
        panels.focus = .list
        return []
    }

    /// Goes to a row of any pane, and remembers the way back to the row or event with the link.
    mutating func follow(_ link: Detail.Link, from event: Int? = nil) -> [Effect] {
        guard let index = navigation.panes.firstIndex(where: { $0.id == link.pane }) else {
            return say(.warning, "this store has no pane \(link.pane.name)")
        }
        if event != nil || pane?.id != link.pane || list?.cursorID != link.row {
            rememberWayBack(from: event)
        }
        showPane(index)
        navigation.panes[index].wantsFolders = false
        let effects = navigation.leaveInnerLists(of: index, keeping: 1)
        navigation.withList { $0.givenFilter = $0.latestQuery.filter }
        return effects + go(along: link.inside + [link.row])
    }

    /// Remembers the selected row, and the event from which the user leaves, for ``back()``.
    mutating func rememberWayBack(from event: Int? = nil) {
        guard let pane else { return }
        navigation.trail.append(
            Navigation.WayBack(
                pane: pane.id, depth: pane.lists.count, row: pane.list.cursorID, event: event))
        if navigation.trail.count > 100 { navigation.trail.removeFirst() }
    }

    /// Opens a row, then its nested rows along a path, and selects the last row of the path.
    mutating func go(along path: [RowID]) -> [Effect] {
        guard let row = path.first else { return [] }
        goTo(row)
        return path.count == 1 ? [] : open(row, showing: Array(path.dropFirst()))
    }

    /// Opens a row of the list on the way to a nested row.
    mutating func open(_ row: RowID, showing path: [RowID]) -> [Effect] {
        guard let list else { return [] }
        let id = requests.wait(for: .open(row, showing: path), of: list.source.id)
        return [.open(id, list.source.id, row, at: instant)]
    }

    /// Leaves the list if the user followed an event to a row that isn't in it. Shows the writes to
    /// a deleted row, if possible. Otherwise, goes back to the event.
    mutating func leaveMissing(_ row: RowID) -> [Effect] {
        guard let event = navigation.trail.last?.event, let list else { return [] }
        let isUnfiltered = list.latestQuery.filter.isEmpty
        if isUnfiltered, let writes = list.source.writes,
            let index = navigation.panes.firstIndex(where: { $0.id == writes.pane })
        {
            showPane(index)
            navigation.setFilter("\(writes.field):" + FilterCompletion.quoted(row.name))
            navigation.withList { $0.givenFilter = $0.latestQuery.filter }
            let title = navigation.panes[index].lists[0].source.title
            return say(.info, "\(row.name) was deleted; showing its writes in \(title)")
        }
        let effects = stepBack()
        panels.focus = .events
        panelStates.events.select(number: event)
        let title = list.source.title
        say(
            .info,
            isUnfiltered
                ? "\(row.name) was deleted from \(title)"
                : "\(row.name) is hidden by the filter of \(title)")
        return effects
    }

    /// Goes to a row by name, in the list or in the pane named by the first word.
    mutating func goTo(named text: String) -> [Effect] {
        let words = text.split(separator: " ", maxSplits: 1)
        if words.count == 2,
            let index = navigation.panes.map(\.id).index(ofPaneNamed: String(words[0]))
        {
            panels.focus = .list
            let name = String(words[1])
            let effects = follow(.init(pane: navigation.panes[index].id, row: RowID(name)))
            navigation.selectRow(named: name)
            return effects
        }
        panels.focus = .list
        navigation.selectRow(named: text)
        return []
    }

    mutating func goTo(_ row: RowID) {
        let height = layout.listHeight
        navigation.withList { list in
            list.isTouched = true
            if let index = list.index(of: row), list.wanted == nil, list.pending == nil {
                list.select(index)
                list.reveal(height: height)
            } else {
                list.want(.goTo(row))
            }
        }
    }

    /// Cancels the work in progress, or goes back one step. If the key closes a warning or an
    /// error, it does nothing else.
    mutating func back() -> [Effect] {
        if let export = requests.export { return stopExport(export) }
        if let running = commands.running { return cancel(running) }
        if let background = requests.background {
            requests.background = nil
            say(.info, "canceled")
            return [.cancel(background.id)]
        }
        if pendingInput.isOnTour {
            endTour()
            return []
        }
        switch pendingInput.closedNotice {
        case .warning, .error: return []
        case .info, .done, nil: return stepBack()
        }
    }

    private mutating func stepBack() -> [Effect] {
        if panels.focus != .list {
            if !panelStates[panels.focus].goBack() { panels.focus = .list }
            return []
        }
        guard let list else { return [] }
        if list.rangeAnchor != nil || !list.chosen.isEmpty {
            navigation.withList { $0.unmark() }
            return []
        }
        if returnToValues() { return [] }
        if list.hasTypedFilter, let pane, pane.lists.count > 1 || !navigation.trail.isEmpty {
            navigation.setFilter(pane.lists.count > 1 ? list.givenFilter : "")
            return []
        }
        if let pane, pane.lists.count > 1 {
            return navigation.leaveInnerLists(
                of: navigation.activePane, keeping: pane.lists.count - 1)
        }
        if let place = navigation.trail.popLast() {
            guard let index = navigation.panes.firstIndex(where: { $0.id == place.pane }) else {
                return []
            }
            showPane(index)
            if let row = place.row, navigation.panes[index].lists.count == place.depth { goTo(row) }
            if let event = place.event {
                panelStates.events.select(number: event)
                panels.focus = .events
            }
            return []
        }
        if !list.latestQuery.filter.isEmpty {
            navigation.setFilter("")
            return []
        }
        if !list.searchText.isEmpty, list.marksHits {
            navigation.withList { $0.marksHits = false }
            let key = keymap.hint(for: "search-next")
            return say(
                .info,
                "“\(list.searchText)” is no longer highlighted; press \(key) for the next match")
        }
        if time != nil { return pendingInput.closedNotice == nil ? leavePast() : [] }
        if let listing = session.listing { return openStore(listing) }
        return say(.info, "press \(keymap.hint(for: "quit")) to quit")
    }

    /// Shows a nested list, or a comparison of two instants or stores.
    mutating func enter(
        _ source: SourceInfo, filter: String = "", isDifference: Bool = false,
        isComparison: Bool = false
    ) {
        guard let pane else { return }
        let query = RowQuery(filter: filter, instant: instant)
        var list = navigation.newList(of: source, in: pane.id, query)
        list.isDifference = isDifference
        list.isComparison = isComparison
        navigation.panes[navigation.activePane].lists.append(list)
        panels.focus = .list
    }
}

/// The names of a device, as filters compare them.
private struct DeviceNames: FilterSubject {
    let names: [String]

    func contains(where test: (String) -> Bool) -> Bool { names.contains(where: test) }
    func texts(of field: String) -> [String] { names }
}
