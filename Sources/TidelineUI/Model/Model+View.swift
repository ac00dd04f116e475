import Replication
public import TidelineCore

/// Saving and restoring the view state of a store.
extension Model {
    /// Restores the parts of the view state that don't depend on the panes.
    mutating func resume() {
        for (name, share) in preferences.savedView.shares {
            guard let panel = Panel.sharing.first(where: { $0.name == name })?.panel else {
                continue
            }
            panels.shares[panel] = max(0, min(share, Panel.shareRange.upperBound))
        }
        navigation.columnViews = preferences.savedView.columns ?? [:]
        recents.places = (preferences.savedView.places ?? []).compactMap(Place.init)
        for text in preferences.savedView.alerts {
            if let alert = Alert(stored: text) { watching.alerts.insert(alert) }
        }
    }

    /// Creates the list of a pane with its saved state and the configured columns.
    mutating func newList(of info: PaneInfo) -> ListState {
        var query = RowQuery()
        query.instant = instant
        if let left = preferences.savedView.lists[info.id.text] {
            query.filter = left.filter
            if let sort = left.sort, info.source.columns.contains(where: { $0.id == sort }) {
                query.sort = .init(column: sort, isDescending: left.isDescending)
            }
        }
        var list = navigation.newList(of: info.source, in: info.id, query)
        if let row = navigation.leftRows.removeValue(forKey: info.id) { list.reveal(row) }
        list.wantedColumns =
            preferences.columns[info.id.text] ?? preferences.columns[info.id.name] ?? []
        return list
    }

    /// Returns whether the rows of a new pane are grouped into folders, as in the last run.
    func wantsFolders(_ info: PaneInfo) -> Bool {
        info.source.folders != nil && preferences.savedView.lists[info.id.text]?.isGrouped == true
            && navigation.wantedRow == nil
    }

    /// Groups the rows of the shown pane into folders if they were grouped in the last run.
    mutating func groupIntoFolders() -> [Effect] {
        guard let pane, pane.wantsFolders, requests.awaited == nil,
            let folders = pane.list.source.folders
        else { return [] }
        navigation.panes[navigation.activePane].wantsFolders = false
        return pane.lists.count == 1 ? open(folders, showing: []) : []
    }

    /// Groups the rows of the list into folders. If they are already grouped, shows all rows again,
    /// and keeps the selection.
    mutating func toggleFolders() -> [Effect] {
        guard let pane, pane.isGrouped else {
            return list?.source.folders.map { open($0, showing: []) } ?? []
        }
        let row = list?.selectedRow
        navigation.panes[navigation.activePane].wantsFolders = false
        let effects = navigation.leaveInnerLists(of: navigation.activePane, keeping: 1)
        panels.focus = .list
        if let row, !row.isFolder, row.outerFilter == nil { goTo(row.id) }
        return effects
    }

    /// The view state to be saved.
    public var view: StoreView {
        var view = preferences.savedView
        if pane?.id.text != navigation.panes.first?.id.text || preferences.savedView.pane != nil {
            view.pane = pane?.id.text ?? preferences.savedView.pane
        }
        if panels.focus == .events { view.pane = Navigation.eventsName }
        for pane in navigation.panes {
            let query = pane.lists[0].latestQuery
            var list = StoreView.List()
            if pane.lists[0].filterProblem == nil { list.filter = query.filter }
            list.sort = query.sort?.column
            list.isDescending = query.sort?.isDescending ?? false
            list.isGrouped = pane.isGrouped ? true : nil
            view.lists[pane.id.text] = list == StoreView.List() ? nil : list
        }
        view.columns = navigation.columnViews
        let places = recents.places.compactMap(\.kept)
        view.places = places.isEmpty ? nil : places
        let devices = session.status.devices.map(\.id.name)
        if !devices.isEmpty { view.deviceColors = session.deviceColors.kept(of: devices) }
        view.alerts = watching.alerts.map(\.stored).sorted()
        view.keptTextPath = keptTextPath
        for (name, panel) in Panel.sharing where panels.changedShares.contains(panel) {
            view.shares[name] = panels.shares[panel]
        }
        return view
    }

    /// The reason why actions on other stores are unavailable; `nil` if there are other stores.
    var whyNoOtherStore: String? {
        guard session.stores.names.count <= 1 else { return nil }
        let key = keymap.hint(for: "palette")
        return
            "no other store is open; type \(key)\(key.count == 1 ? "" : " ")open PATH to open one"
    }

    /// The view state, if it has changed.
    public var changedView: StoreView? {
        let view = view
        return view == preferences.savedView ? nil : view
    }

    /// Saves the view state and leaves the screen.
    mutating func ending(_ reason: ExitReason) -> [Effect] {
        pendingInput.isLeft = true
        return (changedView.map { [.keepView($0)] } ?? []) + [.terminal(.leave(reason))]
    }

    /// Shows only the focused panel, or shows all panels again.
    mutating func zoomPanel() {
        let before = layout
        panels.isZoomed.toggle()
        guard layout.panels == before.panels, layout.peek == before.peek else { return }
        panels.isZoomed = false
        say(.info, "nothing to zoom: only one panel is visible at this window size")
    }

    mutating func resizePanel(by step: Int) -> [Effect] {
        let isLess = step < 0
        // The list takes space from the inspector.
        let (panel, step) = panels.focus == .list ? (.inspector, -step) : (panels.focus, step)
        guard let name = Panel.sharing.first(where: { $0.panel == panel })?.name else {
            return say(
                .info,
                "only the inspector and the events can be resized"
            )
        }
        let isHidden = panels.shares[panel] == 0
        guard isHidden || !layout.isOneAtATime else {
            return say(
                .info, "nothing to resize: only one panel is visible at this window size")
        }
        guard !isHidden || step > 0 else {
            return say(
                .info, "\(name) is hidden; press \(keymap.hint(for: "grow")) to show it"
            )
        }
        let usual = panel == .events ? 40 : 33
        let range = Panel.shareRange
        let before = (share: panels.shares[panel], place: layout.panels[panel])
        var share = before.share ?? usual
        // Repeat until an edge moves, since small screens have few lines.
        repeat {
            let next = max(range.lowerBound, min(share + step, range.upperBound))
            if next == share { break }
            share = next
            panels.shares[panel] = share
        } while layout.panels[panel] == before.place
        let isOne = panel != .events
        let subject = panels.focus == .list ? "the list" : "the \(name)"
        guard layout.panels[panel] != before.place else {
            panels.shares[panel] = before.share
            return say(
                .info, "\(subject) can't be \(isLess ? "smaller" : "larger")")
        }
        panels.changedShares.insert(panel)
        let isWidth = layout.panels[panel]?.columns != before.place?.columns
        // The events share their height with the list, and their width with the other panels.
        let other =
            panels.focus == .list
            ? "the inspector" : isOne || !isWidth ? "the list" : "the other panels"
        say(
            .info,
            "\(subject): \(panels.focus == .list ? 100 - share : share)% of the "
                + "\(isWidth ? "width" : "height") shared with \(other)")
        revealSelections()
        return []
    }
}
