import TidelineCore

/// A conflict that is gone to, in a list that may not be at hand yet.
struct ConflictJump: Hashable, Sendable {
    /// Whether the list is gone through forwards.
    var isForwards: Bool
    /// Whether its sides are shown once it is there.
    var opens: Bool
    /// Whether it is looked for from the start of a list, or from the end, of which it is not known
    /// yet how many rows it has.
    var isFirst = false
    var isLast = false
    /// Whether the conflicts inside of the selected row were gone through.
    var isBehindInside = false
    /// How many more panes may be looked into.
    var panesLeft = 0
}

/// Going through what devices disagree about, from one row to the next, pane by pane.
extension Model {
    /// The filter that leaves the rows in conflict of a pane that has others too.
    private static let inConflict = "conflict:yes"

    /// The panes in which all open conflicts are found, in the order of the tabs. In the past, of
    /// which nobody has counted them, those of the data model that is shown.
    var conflictPanes: [Int] {
        let lists = panes.indices.filter { panes[$0].listsConflicts }
        let mixed = mixedConflictPanes
        guard time == nil else {
            let shown = (lists + mixed).filter { panes[$0].id.part == pane?.id.part }
            return shown.isEmpty ? Array(lists.prefix(1)) : shown.sorted()
        }
        let listed = lists.reduce(0) { $0 + status.counts[panes[$1].id, default: 0] }
        let untold = status.conflictCount - status.conflictsByPart.values.reduce(0, +)
        let others = mixed.filter { index in
            let part = panes[index].id.part
            return status.conflictsByPart[part, default: 0] > benign.count(ofPart: part)
                || untold > listed
        }
        // Those that a list leads to, row by row, need no list of their own.
        let covered = Set(
            others.filter { panes[$0].lists[0].source.conflictsHoldLists }.map { panes[$0].id.part }
        )
        let open = lists.filter { index in
            let id = panes[index].id
            return status.counts[id, default: 0] > benign.count(ofPart: id.part)
                && !covered.contains(id.part)
        }
        return (open + others).sorted()
    }

    /// The first pane of each data model whose rows in conflict stand among its others, as no pane of
    /// it lists them alone, or only those inside of one of its rows.
    private var mixedConflictPanes: [Int] {
        var seen = Set(panes.filter(\.listsConflicts).map(\.id.part))
        return panes.indices.filter { index in
            let source = panes[index].lists[0].source
            return source.filterFields.contains { $0.name == "conflict" }
                && (seen.insert(panes[index].id.part).inserted || source.conflictsHoldLists)
        }
    }

    /// Whether the rows of a pane that are shown are those in conflict, and nothing else.
    private func showsConflicts(ofPane index: Int) -> Bool {
        guard index == activePane, let pane, pane.lists.count == 1 else { return false }
        return pane.listsConflicts || pane.list.latestQuery.filter == Self.inConflict
    }

    /// Whether all rows of a pane are at hand, so that those in conflict are known without a filter.
    private func hasAllRows(ofPane index: Int) -> Bool {
        guard index == activePane, let pane, pane.lists.count == 1 else { return false }
        let list = pane.list
        return list.isLoaded && list.latestQuery.filter.isEmpty && list.start == 0
            && list.rows.count >= list.total
    }

    /// Selects the next row in conflict: of the list, the lists inside its rows included, or of
    /// those that it is inside of; else of the next pane that has some, and after the last of the
    /// first again. From the sides of a conflict it leads to those of the next.
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

    /// Whether a row is in a conflict that needs a person, or has conflicts inside.
    func leadsToConflict(_ row: Row) -> Bool { needsPerson(row) || row.conflictsInside > 0 }

    /// The rows at hand that lead to a conflict, by number.
    private func conflictStops(in list: ListState) -> [Int] {
        list.rows.indices.filter { leadsToConflict(list.rows[$0]) }.map { $0 + list.start }
    }

    /// Opens a row, to go to the first or the last conflict inside.
    private mutating func goInside(_ row: Row, _ jump: ConflictJump) -> [Effect] {
        var jump = jump
        (jump.isFirst, jump.isLast) = (jump.isForwards, !jump.isForwards)
        jump.isBehindInside = false
        conflictJump = jump
        focus = .list
        return open(row.id, showing: [])
    }

    /// Begins a list that was opened on the way to a conflict at the end from which it is looked for.
    mutating func enteredForConflict() {
        guard let jump = conflictJump else { return }
        withList { list in
            list.isTouched = true
            list.want(.index(jump.isForwards ? 0 : .max), for: .query)
        }
    }

    private mutating func goOn(_ jump: ConflictJump) -> [Effect] {
        guard let list, let pane else { return [] }
        var jump = jump
        jump.isBehindInside = false
        conflictJump = jump
        let rows = conflictStops(in: list)
        let next =
            jump.isForwards ? rows.first { $0 > list.cursor } : rows.last { $0 < list.cursor }
        if let next {
            focus = .list
            selectInList(next)
            return []
        }
        guard pane.lists.count > 1 else { return goToNextPane(jump) }
        if let beyond = numberBeyondRows(of: list, jump) {
            selectInList(beyond)
            return []
        }
        let effects = leaveInnerLists(of: activePane, keeping: pane.lists.count - 1)
        if !jump.isForwards, self.list?.selectedRow.map(needsPerson) == true {
            conflictJump?.isBehindInside = true
            return effects
        }
        return effects + goOn(jump)
    }

    /// The number of the next row beyond those that are at hand.
    private func numberBeyondRows(of list: ListState, _ jump: ConflictJump) -> Int? {
        let end = list.start + list.rows.count
        if jump.isForwards { return end < list.total ? max(end, list.cursor + 1) : nil }
        return list.start > 0 ? min(list.start, list.cursor) - 1 : nil
    }

    private mutating func goToNextPane(_ jump: ConflictJump) -> [Effect] {
        guard let list else { return [] }
        let isForwards = jump.isForwards
        let stops = conflictPanes
        conflictJump?.panesLeft -= 1
        guard !stops.isEmpty, jump.panesLeft > 0 else {
            conflictJump = nil
            say(.info, "there is no other conflict among the rows read so far")
            return []
        }
        let ofPart = stops.firstIndex { panes[$0].id.part == pane?.id.part }
        let shown = stops.firstIndex { showsConflicts(ofPane: $0) || hasAllRows(ofPane: $0) }
        // Where the conflicts inside of rows were gone through, no list of them is needed.
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

    /// Shows the rows in conflict of a pane, and nothing else, from their start or their end on.
    private mutating func showConflicts(ofPane index: Int, fromStart: Bool) -> [Effect] {
        let isKnown = hasAllRows(ofPane: index)
        showPane(index)
        let effects = leaveInnerLists(of: index, keeping: 1)
        let position = fromStart ? 0 : Int.max
        if isKnown || showsConflicts(ofPane: index) && list?.isLoaded == true {
            selectInList(position)
            return effects
        }
        if !showsConflicts(ofPane: index) {
            setFilter(Self.inConflict)
            say(.info, "the rows in conflict; \(keymap.hint(for: "back")) shows all")
        }
        conflictJump?.isFirst = fromStart
        conflictJump?.isLast = !fromStart
        withList { list in
            list.isTouched = true
            list.want(.index(position), for: .query)
        }
        return effects
    }

    /// Selects the conflict that is gone to, once its list is at hand; passes over those that need
    /// nobody.
    mutating func landOnConflict() -> [Effect] {
        guard var jump = conflictJump, let there = list, there.isLoaded, there.pending == nil,
            there.wanted == nil
        else { return [] }
        // The list inside of a row is still to come.
        if case .open = awaited?.purpose { return [] }
        let isInside = (pane?.lists.count ?? 1) > 1
        if jump.isFirst || jump.isLast {
            let isFirst = jump.isFirst
            (jump.isFirst, jump.isLast) = (false, false)
            conflictJump = jump
            selectInList(isFirst ? 0 : .max)
        }
        guard let list, let row = list.selectedRow else {
            guard there.total == 0 else { return [] }
            if isInside { return goOn(jump) + landOnConflict() }
            conflictJump = nil
            if !there.latestQuery.filter.isEmpty {
                let (all, next) = (keymap.hint(for: "back"), keymap.hint(for: "next-conflict"))
                say(.info, "no conflict matches the filter here; \(all) shows all, \(next) goes on")
            }
            return []
        }
        conflictJump = nil
        // What is inside of a row comes after it.
        if row.conflictsInside > 0, !jump.isBehindInside, !(jump.isForwards && needsPerson(row)) {
            return goInside(row, jump)
        }
        if !needsPerson(row) {
            if isInside { return goOn(jump) + landOnConflict() }
            let rows = conflictStops(in: list)
            let next =
                jump.isForwards
                ? rows.first { $0 > list.cursor } ?? rows.first
                : rows.last { $0 < list.cursor } ?? rows.last
            if let next { selectInList(next) }
            if let row = self.list?.selectedRow, !needsPerson(row), row.conflictsInside > 0 {
                return goInside(row, jump)
            }
        }
        guard jump.opens, self.list?.selectedRow.map(needsPerson) == true else { return [] }
        return openConflict()
    }

    /// What is said where a list of conflicts, and of nothing else, is empty: that there are none, or
    /// where there are. `nil` for any other list.
    func emptyText(ofConflicts list: ListState) -> [String]? {
        let filter = list.query.filter
        guard time == nil, !status.isLoading, showsConflicts(ofPane: activePane),
            filter.isEmpty || filter == Self.inConflict
        else { return nil }
        let back = keymap.hint(for: "back")
        return openConflicts(besides: list.source.title)
            + (filter.isEmpty ? [] : ["\(back) shows all rows"])
    }

    private func openConflicts(besides title: String) -> [String] {
        let names = conflictPanes.map { panes[$0].lists[0].source.title }
        guard openConflictCount > 0, !names.isEmpty else {
            return ["\(title): none is open", "the devices agree"]
        }
        let count = openConflictCount == 1 ? "1 conflict is" : "\(openConflictCount) are"
        return [
            "\(title): none is open here",
            "\(count) open in \(names.joined(separator: ", ")): "
                + "\(keymap.hint(for: "next-conflict")) goes there",
        ]
    }
}
