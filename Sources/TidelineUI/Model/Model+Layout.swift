import TidelineCore

extension Model {
    var layout: Layout {
        lastLayout.layout(
            for: Layout.Conditions(
                size: panels.size, focus: panels.focus, isZoomed: panels.isZoomed,
                showsTime: time != nil,
                listWidth: list.map { ColumnSpans.naturalWidth(of: $0.source.columns) } ?? 80,
                deviceCount: session.status.devices.count, rowCount: mostRowsInPast,
                hasPast: hasPast, hasConflicts: canShowConflicts,
                hasStates: Layout.isBare(panels.size) && !Header.states(of: self).isEmpty,
                noteRows: (list?.total ?? 0) > 0 && rowsProblem != nil ? 1 : 0,
                shares: panels.shares))
    }

    /// The reason why the rows of the list are incomplete or out of date.
    var rowsProblem: String? {
        guard let list else { return nil }
        if session.status.phase == .missing {
            // An open conflict's overlay already shows the reason.
            if overlay?.module is ConflictView { return nil }
            return SessionState.whyMissing
        }
        if let problem = list.problem {
            return "\(problem) (\(keymap.hint(for: "reload")): retry)"
        }
        return list.source.hasPast ? session.missingRows : nil
    }

    /// The largest number of rows that the list had at any shown instant. It keeps the timeline
    /// strip in its place during time travel.
    private var mostRowsInPast: Int? {
        guard let time, let list, list.isLoaded, list.isTotalExact else { return nil }
        return max(list.total, time.mostRows[list.source.id] ?? 0)
    }

    /// Whether the list can have conflicts and the store has some. This doesn't depend on the
    /// visible rows, so that the layout stays the same while scrolling.
    private var canShowConflicts: Bool {
        guard time == nil, session.status.conflictCount > 0, let list else { return false }
        return list.source.edits[.resolve] != nil || list.rows.contains(where: \.isConflict)
    }
}
