import Replication
import TidelineCore

extension Model {
    mutating func receive(_ snapshot: SessionSnapshot) -> [Effect] {
        let before = session.status
        if before.unsaved != nil, snapshot.status.unsaved == nil, !writing.isWithdrawing {
            noteSaved()
        }
        session.status = snapshot.status
        let shown = pane?.id
        let effects = updatePanes(from: snapshot)
        showWantedPane(else: shown)
        if writing.isWritable, lockedBecause != nil { writing.isWritable = false }
        if session.status.isWritable || !writing.isWritable { writing.isUnlocking = false }
        // Rows in conflict are known only after counting, so reload the rows then.
        let isCounted = !before.hasCountedConflicts && session.status.hasCountedConflicts
        if !panelStates.events.isPaused, before.isLoading || session.status.isLoading || isCounted {
            session.version += 1
        }
        return effects
    }

    /// Adopts the panes of a snapshot. The lists of panes that stay keep their state.
    private mutating func updatePanes(from snapshot: SessionSnapshot) -> [Effect] {
        var states: [Navigation.PaneState] = []
        for info in snapshot.panes {
            if var state = navigation.panes.first(where: { $0.id == info.id }) {
                if state.lists[0].source.subject != info.source.subject { session.version += 1 }
                state.lists[0].adopt(info.source)
                for index in state.lists.indices.dropFirst() {
                    if let source = snapshot.inner[state.lists[index].source.id] {
                        state.lists[index].adopt(source)
                    }
                }
                states.append(state)
            } else {
                states.append(
                    Navigation.PaneState(
                        id: info.id, lists: [newList(of: info)], group: info.group,
                        listsConflicts: info.listsConflicts, number: info.number,
                        wantsFolders: wantsFolders(info)))
            }
        }
        let closed = navigation.panes.filter { pane in !states.contains { $0.id == pane.id } }
        navigation.panes = states
        return closed.flatMap(\.lists).compactMap { $0.pending.map { .cancel($0.id) } }
    }

    /// Shows the pane that the user asked for, or the pane that was open in the last run, once it
    /// exists. Otherwise keeps the pane that was shown.
    private mutating func showWantedPane(else shown: PaneID?) {
        let panes = navigation.panes.map(\.id)
        let isLoading = session.status.isLoading
        if let wanted = navigation.wantedPane, let index = panes.index(ofPaneNamed: wanted) {
            navigation.activePane = index
            navigation.wantedPane = nil
        } else if navigation.wantedPane == Navigation.eventsName {
            panels.focus = .events
            navigation.wantedPane = nil
        } else if navigation.savedPane == Navigation.eventsName, !panes.isEmpty {
            panels.focus = .events
            navigation.savedPane = nil
        } else if let saved = navigation.savedPane,
            let index = panes.index(ofPaneNamed: saved)
                // A document that isn't open yet has no pane. Show the list that opens it.
                ?? (isLoading ? nil : panes.firstIndex { saved.hasPrefix($0.text + "/") })
        {
            navigation.activePane = index
            navigation.savedPane = nil
        } else {
            navigation.activePane = panes.firstIndex { $0 == shown } ?? 0
            if let wanted = navigation.wantedPane, !isLoading {
                say(.warning, "unknown pane “\(wanted)”; choose one of \(navigation.paneNames)")
                navigation.wantedPane = nil
            }
        }
    }

    mutating func receive(_ event: SessionEvent) -> [Effect] {
        switch event.kind {
        case .status, .deleted, .returned: return apply(event)
        default: break
        }
        let name = event.device.map { session.name(of: .device($0)) }
        let alerted = watching.alerts.rows(
            in: event, by: name, own: session.status.ownDevice)
        let rings = alerted.map { ring(for: event, about: $0) } ?? []
        guard panelStates.events.isPaused else {
            return rings + apply(event, isAlert: alerted != nil)
        }
        panelStates.events.hold(event, isAlert: alerted != nil)
        return rings
    }

    /// Handles a store event, which an alert may match.
    mutating func apply(_ event: SessionEvent, isAlert: Bool = false) -> [Effect] {
        panelStates.events.add(
            event, by: event.device.map { session.name(of: .device($0)) } ?? "", isAlert: isAlert)
        for (other, rows) in event.elsewhere { watching.marks.add(rows, in: other, at: now) }
        switch event.kind {
        case .changed(let pane, let rows, _):
            watching.marks.add(rows, in: pane, at: now)
            let deleted = rows.filter { $0.value == .deleted }.map(\.key)
            if !deleted.isEmpty { navigation.unmark(deleted, in: pane) }
            // Deleted rows stay on screen for a moment, marked as deleted.
            if !rows.isEmpty, rows.values.allSatisfy({ $0 == .deleted }), isVisible(rows, in: pane)
            {
                guard requests.alarms[.deletedRows] == nil else { return [] }
                return [set(.deletedRows, after: 1_500_000)]
            }
            session.version += 1
            if panelStates.list.isFollowing,
                pane == self.pane?.id || list?.source.isNewestFirst == true
            {
                follow(rows)
            }
        case .conflict(let pane, let row):
            watching.marks.add([row: .conflict], in: pane, at: now)
            session.version += 1
        case .loaded, .resolved, .devices, .device, .blob: session.version += 1
        case .deleted:
            session.version += 1
            // Don't show a notice if the list shows this state.
            if list == nil || layout.panels[.list] == nil { say(.warning, SessionState.whyMissing) }
        case .returned:
            // Repeat requests that failed while the store was missing.
            session.version += 1
            say(.info, "the store is back")
        case .status: break
        }
        return []
    }

    private func isVisible(_ rows: [RowID: RowMark], in pane: PaneID) -> Bool {
        guard let state = self.pane, state.id == pane else { return false }
        return state.list.rows.contains { rows[$0.id] != nil }
    }

    /// Moves the selection to new rows while following.
    private mutating func follow(_ rows: [RowID: RowMark]) {
        navigation.withList { list in
            if list.startsWithNewest { return list.want(.follow(nil)) }
            let there = rows.filter { $0.value != .deleted }.map(\.key)
            if let row = there.max(by: { $0.name < $1.name }) { list.want(.follow(row)) }
        }
    }
}

extension SessionStatus {
    var isLoading: Bool {
        if case .loading = phase { true } else { false }
    }
}
