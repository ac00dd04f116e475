import Replication
import TidelineCore

/// The state that ``Model`` and ``ScreenContext`` have in common, and the values derived from it.
protocol ScreenState {
    var now: Timestamp { get }
    var session: SessionState { get }
    var preferences: Preferences { get }
    var writing: Writing { get }
    var panels: PanelArrangement { get }
    var navigation: Navigation { get }
    var watching: Watching { get }
    /// The instant that all lists show; `nil` for now.
    var instant: Timestamp? { get }
    /// Whether the selection follows new rows.
    var isFollowing: Bool { get }
    var events: EventsPanel.Status { get }
    /// The export and the command in progress, in words.
    var runningWork: [String] { get }
}

extension Model: ScreenState {
    var isFollowing: Bool { panelStates.list.isFollowing }

    var events: EventsPanel.Status { panelStates.events.status }

    var runningWork: [String] {
        let export = requests.export.map { "EXPORT \($0.progress)" }
        let command = commands.running.map {
            let title = $0.command.title
            let short = title.count > 20 ? title.prefix(19) + "…" : title[...]
            return "RUN \(short)"
        }
        return [export, command].compactMap(\.self)
    }
}

extension ScreenState {
    var keymap: Keymap { preferences.keymap }

    /// The list of the open pane; `nil` until the session reports its panes.
    var list: ListState? { navigation.list }

    var pane: Navigation.PaneState? { navigation.pane }

    /// The reason why nothing can be selected yet; `nil` if the store has panes.
    var whyNoPanes: String? { navigation.panes.isEmpty ? "nothing is open yet" : nil }

    /// The reason why writing can't be unlocked; `nil` if it can.
    var lockedBecause: String? {
        if let reason = writing.lockedFromStart { return reason }
        guard session.status.ownDevice == nil, !navigation.panes.isEmpty else { return nil }
        return list?.source.rowsAreStores == true
            ? "open a store to edit it" : "this store can only be read"
    }

    /// The reason why the open store can't be written now, if it is missing or couldn't be read.
    var whyNotThere: String? {
        switch session.status.phase {
        case .missing: SessionState.whyMissing
        case .failed(let failure): failure.reason
        case .loading, .live: nil
        }
    }

    /// Whether the store has a past or devices to show in a timeline. This doesn't depend on the
    /// list, so that the layout stays the same in all panes.
    var hasPast: Bool {
        instant != nil || navigation.panes.isEmpty || !session.status.devices.isEmpty
            || navigation.panes.contains { $0.lists[0].source.hasPast }
    }

    /// The reason why the store can't be viewed as of an earlier time; `nil` if it can.
    var whyNoTimeTravel: String? {
        if let whyNoPanes { return whyNoPanes }
        guard hasPast else { return "this store doesn't record its history" }
        let status = session.status
        if status.phase == .missing { return SessionState.whyMissing }
        let isEmpty = status.devices.isEmpty && status.counts.values.allSatisfy { $0 == 0 }
        return instant == nil && status.phase == .live && !status.counts.isEmpty && isEmpty
            ? "nothing has been written yet" : nil
    }

    /// The last instant that can be shown: now, or a later write of a device whose clock is ahead.
    var lastInstant: Timestamp { session.status.devices.compactMap(\.newest).reduce(now, max) }

    /// Returns the instant that ages are relative to: now, or the instant shown during time travel.
    func ageReference(of list: ListState) -> Timestamp {
        (list.source.hasPast ? instant : nil) ?? now
    }

    /// Returns the last known number of rows without a filter.
    func totalWithoutFilter(of list: ListState) -> Int? {
        guard instant == nil, let pane, pane.lists.count == 1 else { return list.wholeTotal }
        return session.status.counts[pane.id] ?? list.wholeTotal
    }

    /// The path of the list: the pane and its nested lists, with their subjects and owners.
    var breadcrumb: String {
        guard let pane else { return "" }
        let names = pane.lists.map { list in
            list.source.title + (list.source.subject.map { " of \($0)" } ?? "")
                + (list.source.owner.map { " (\(session.name(of: .device($0))))" } ?? "")
        }
        return names.joined(separator: " › ")
    }

    /// The filter and the sort order, as shown in the title.
    var queryText: String {
        guard let query = list?.query else { return "" }
        var text = query.filter.isEmpty ? "" : ": \(query.filter)"
        if let sort = query.sort {
            let column = list?.source.columns.first { $0.id == sort.column }
            text += " (by \(column?.title(isDescending: sort.isDescending) ?? sort.column))"
        }
        return text
    }
}
