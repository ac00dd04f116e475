import TidelineCore

/// A jump to a conflict, whose list may not have loaded yet.
struct ConflictJump: Hashable, Sendable {
    /// Whether to search forwards.
    var isForwards: Bool
    /// Whether to open the conflict screen on arrival.
    var opens: Bool
    /// Whether to search from the start or the end of a list whose size isn't known yet.
    var isFirst = false
    var isLast = false
    /// Whether the conflicts nested in the selected row have been visited.
    var isBehindInside = false
    /// The number of panes that remain to be searched.
    var panesLeft = 0
}

/// Moves between conflicts, row by row and pane by pane.
extension Model {
    /// The filter that shows only the rows in conflict.
    private static let inConflict = "conflict:yes"

    /// The panes that together contain all open conflicts, in tab order. During time travel their
    /// numbers are unknown, so those of the current data model are used.
    var conflictPanes: [Int] {
        let lists = navigation.panes.indices.filter { navigation.panes[$0].listsConflicts }
        let mixed = mixedConflictPanes
        guard time == nil else {
            let shown = (lists + mixed).filter { navigation.panes[$0].id.part == pane?.id.part }
            return shown.isEmpty ? Array(lists.prefix(1)) : shown.sorted()
        }
        let listed = lists.reduce(0) {
            $0 + session.status.counts[navigation.panes[$1].id, default: 0]
        }
        let untold =
            session.status.conflictCount - session.status.conflictsByPart.values.reduce(0, +)
        let others = mixed.filter { index in
            let part = navigation.panes[index].id.part
            return session.status.conflictsByPart[part, default: 0]
                > watching.ignored.count(ofPart: part)
                || untold > listed
        }
        // Conflicts that other rows lead to don't need a separate pane.
        let covered = Set(
            others.filter { navigation.panes[$0].lists[0].source.conflictsHoldLists }.map {
                navigation.panes[$0].id.part
            }
        )
        let open = lists.filter { index in
            let id = navigation.panes[index].id
            return session.status.counts[id, default: 0] > watching.ignored.count(ofPart: id.part)
                && !covered.contains(id.part)
        }
        return (open + others).sorted()
    }

    /// The first pane of each data model whose conflicts are listed among other rows, because no
    /// pane lists only conflicts, or only those nested in one row.
    private var mixedConflictPanes: [Int] {
        var seen = Set(navigation.panes.filter(\.listsConflicts).map(\.id.part))
        return navigation.panes.indices.filter { index in
            let source = navigation.panes[index].lists[0].source
            return source.filterFields.contains { $0.name == "conflict" }
                && (seen.insert(navigation.panes[index].id.part).inserted
                    || source.conflictsHoldLists)
        }
    }

    /// Whether a pane shows only rows in conflict.
    private func showsConflicts(ofPane index: Int) -> Bool {
        guard index == navigation.activePane, let pane, pane.lists.count == 1 else { return false }
        return pane.listsConflicts || pane.list.latestQuery.filter == Self.inConflict
    }

    /// Whether all rows of a pane are loaded, so that conflicts are known without a filter.
    private func hasAllRows(ofPane index: Int) -> Bool {
        guard index == navigation.activePane, let pane, pane.lists.count == 1 else { return false }
        let list = pane.list
        return list.isLoaded && list.latestQuery.filter.isEmpty && list.start == 0
            && list.rows.count >= list.total
    }

    /// Selects the next row in conflict: in this list, including nested lists, then in the lists
    /// around it, then in the next pane, wrapping around after the last. From the conflict screen,
    /// opens the next conflict.
    mutating func goToConflict(by step: Int) -> [Effect] {
        guard let list else { return [] }
        var jump = ConflictJump(
            isForwards: step > 0, opens: false, panesLeft: max(1, conflictPanes.count))
        if case .conflict = overlay {
            jump.opens = true
            closeOverlay()
        }
        if step > 0, let row = list.selectedRow, row.conflictsInside > 0 {
            return goInside(row, jump)
        }
        return goOn(jump)
    }

    /// Whether a row has a conflict that isn't ignored, or nested conflicts.
    func leadsToConflict(_ row: Row) -> Bool { needsAttention(row) || row.conflictsInside > 0 }

    /// Returns the numbers of loaded rows that lead to a conflict.
    private func conflictStops(in list: ListState) -> [Int] {
        list.rows.indices.filter { leadsToConflict(list.rows[$0]) }.map { $0 + list.start }
    }

    /// Opens a row and goes to the first or last nested conflict.
    private mutating func goInside(_ row: Row, _ jump: ConflictJump) -> [Effect] {
        var jump = jump
        (jump.isFirst, jump.isLast) = (jump.isForwards, !jump.isForwards)
        jump.isBehindInside = false
        navigation.conflictJump = jump
        panels.focus = .list
        return open(row.id, showing: [])
    }

    /// Starts a list that was opened during a jump at its first or last row.
    mutating func enteredForConflict() {
        guard let jump = navigation.conflictJump else { return }
        navigation.withList { list in
            list.isTouched = true
            list.want(.index(jump.isForwards ? 0 : .max), for: .query)
        }
    }

    private mutating func goOn(_ jump: ConflictJump) -> [Effect] {
        guard let list, let pane else { return [] }
        var jump = jump
        jump.isBehindInside = false
        navigation.conflictJump = jump
        let rows = conflictStops(in: list)
        let next =
            jump.isForwards ? rows.first { $0 > list.cursor } : rows.last { $0 < list.cursor }
        if let next {
            panels.focus = .list
            selectInList(next)
            return []
        }
        guard pane.lists.count > 1 else { return goToNextPane(jump) }
        if let beyond = numberBeyondRows(of: list, jump) {
            selectInList(beyond)
            return []
        }
        let effects = navigation.leaveInnerLists(
            of: navigation.activePane, keeping: pane.lists.count - 1)
        if !jump.isForwards, self.list?.selectedRow.map(needsAttention) == true {
            navigation.conflictJump?.isBehindInside = true
            return effects
        }
        return effects + goOn(jump)
    }

    /// Returns the number of the next row beyond the loaded ones.
    private func numberBeyondRows(of list: ListState, _ jump: ConflictJump) -> Int? {
        let end = list.start + list.rows.count
        if jump.isForwards { return end < list.total ? max(end, list.cursor + 1) : nil }
        return list.start > 0 ? min(list.start, list.cursor) - 1 : nil
    }

    private mutating func goToNextPane(_ jump: ConflictJump) -> [Effect] {
        guard let list else { return [] }
        let isForwards = jump.isForwards
        let stops = conflictPanes
        navigation.conflictJump?.panesLeft -= 1
        guard !stops.isEmpty, jump.panesLeft > 0 else {
            navigation.conflictJump = nil
            say(.info, "no other conflict in the rows loaded so far")
            return []
        }
        let ofPart = stops.firstIndex { navigation.panes[$0].id.part == pane?.id.part }
        let shown = stops.firstIndex { showsConflicts(ofPane: $0) || hasAllRows(ofPane: $0) }
        // If nested conflicts have been visited, they don't need a separate list.
        let isGoneThrough = list.rows.contains { $0.conflictsInside > 0 }
        guard let here = shown ?? (isGoneThrough ? ofPart : nil) else {
            return showConflicts(ofPane: stops[ofPart ?? 0], fromStart: isForwards)
        }
        if shown != nil, let beyond = numberBeyondRows(of: list, jump) {
            selectInList(beyond)
            return []
        }
        let there = stops[(here + (isForwards ? 1 : stops.count - 1)) % stops.count]
        return showConflicts(ofPane: there, fromStart: isForwards)
    }

    /// Filters a pane by conflicts and goes to the first or last one.
    private mutating func showConflicts(ofPane index: Int, fromStart: Bool) -> [Effect] {
        let isKnown = hasAllRows(ofPane: index)
        showPane(index)
        let effects = navigation.leaveInnerLists(of: index, keeping: 1)
        let position = fromStart ? 0 : Int.max
        if isKnown || showsConflicts(ofPane: index) && list?.isLoaded == true {
            selectInList(position)
            return effects
        }
        if !showsConflicts(ofPane: index) {
            navigation.setFilter(Self.inConflict)
            say(
                .info,
                "showing rows in conflict. Press \(preferences.keymap.hint(for: "back")) to show all"
            )
        }
        navigation.conflictJump?.isFirst = fromStart
        navigation.conflictJump?.isLast = !fromStart
        navigation.withList { list in
            list.isTouched = true
            list.want(.index(position), for: .query)
        }
        return effects
    }

    /// Selects the target of the jump once its list has loaded, skipping ignored conflicts.
    mutating func landOnConflict() -> [Effect] {
        guard var jump = navigation.conflictJump, let there = list, there.isLoaded,
            there.pending == nil,
            there.wanted == nil
        else { return [] }
        // The nested list hasn't arrived yet.
        if case .open = requests.awaited?.purpose { return [] }
        let isInside = (pane?.lists.count ?? 1) > 1
        if jump.isFirst || jump.isLast {
            let isFirst = jump.isFirst
            (jump.isFirst, jump.isLast) = (false, false)
            navigation.conflictJump = jump
            selectInList(isFirst ? 0 : .max)
        }
        guard let list, let row = list.selectedRow else {
            guard there.total == 0 else { return [] }
            if isInside { return goOn(jump) + landOnConflict() }
            navigation.conflictJump = nil
            if !there.latestQuery.filter.isEmpty {
                let (all, next) = (
                    preferences.keymap.hint(for: "back"),
                    preferences.keymap.hint(for: "next-conflict")
                )
                say(
                    .info,
                    "no conflict matches the filter. Press \(all) to show all, \(next) for the next conflict"
                )
            }
            return []
        }
        navigation.conflictJump = nil
        // Nested rows come after the row itself.
        if row.conflictsInside > 0, !jump.isBehindInside, !(jump.isForwards && needsAttention(row))
        {
            return goInside(row, jump)
        }
        if !needsAttention(row) {
            if isInside { return goOn(jump) + landOnConflict() }
            let rows = conflictStops(in: list)
            let next =
                jump.isForwards
                ? rows.first { $0 > list.cursor } ?? rows.first
                : rows.last { $0 < list.cursor } ?? rows.last
            if let next { selectInList(next) }
            if let row = self.list?.selectedRow, !needsAttention(row), row.conflictsInside > 0 {
                return goInside(row, jump)
            }
        }
        guard jump.opens, self.list?.selectedRow.map(needsAttention) == true else { return [] }
        return openConflict()
    }

    /// Explains why a list of conflicts is empty: there are none, or they are in another pane.
    /// Returns `nil` for other lists.
    func emptyText(ofConflicts list: ListState) -> [String]? {
        let filter = list.query.filter
        guard time == nil, !session.status.isLoading, showsConflicts(ofPane: navigation.activePane),
            filter.isEmpty || filter == Self.inConflict
        else { return nil }
        let back = preferences.keymap.hint(for: "back")
        return openConflicts(besides: list.source.title)
            + (filter.isEmpty ? [] : ["Press \(back) to show all rows"])
    }

    private func openConflicts(besides title: String) -> [String] {
        let names = conflictPanes.map { navigation.panes[$0].lists[0].source.title }
        guard openConflictCount > 0, !names.isEmpty else {
            return ["\(title): no conflicts", "all devices agree"]
        }
        let count = openConflictCount == 1 ? "1 conflict" : "\(openConflictCount) conflicts"
        return [
            "\(title): no conflicts here",
            "\(count) in \(names.joined(separator: ", ")). Press "
                + "\(preferences.keymap.hint(for: "next-conflict")) to go there",
        ]
    }
}
