import TidelineCore

/// A conflict that is gone to, in a list that may not be at hand yet.
struct ConflictJump: Hashable, Sendable {
    /// Whether the list is gone through forwards.
    var isForwards: Bool
    /// Whether its sides are shown once it is there.
    var opens: Bool
    /// Whether it is the last of a list of which it is not known yet how many rows it has.
    var isLast = false
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
        let open = lists.filter { index in
            let id = panes[index].id
            return status.counts[id, default: 0] > benign.count(ofPart: id.part)
        }
        return (open + (status.conflictCount > listed ? mixed : [])).sorted()
    }

    /// The first pane of each data model whose rows in conflict stand among its others, as no pane of
    /// it lists them alone.
    private var mixedConflictPanes: [Int] {
        var seen = Set(panes.filter(\.listsConflicts).map(\.id.part))
        return panes.indices.filter { index in
            panes[index].lists[0].source.filterFields.contains { $0.name == "conflict" }
                && seen.insert(panes[index].id.part).inserted
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

    /// Selects the next row in conflict: of the list where it has one, else of the next pane that has
    /// some, and after the last of the first again. From the sides of a conflict it leads to those of
    /// the next.
    mutating func goToConflict(by step: Int) -> [Effect] {
        guard let list else { return [] }
        var jump = ConflictJump(isForwards: step > 0, opens: false)
        if case .conflict = overlay {
            jump.opens = true
            closeOverlay()
        }
        conflictJump = jump
        let rows = list.rows.indices.filter { needsPerson(list.rows[$0]) }.map { $0 + list.start }
        let next = step > 0 ? rows.first { $0 > list.cursor } : rows.last { $0 < list.cursor }
        if let next {
            focus = .list
            selectInList(next)
            return []
        }
        let stops = conflictPanes
        guard !stops.isEmpty else {
            conflictJump = nil
            say(.info, "there is no other conflict among the rows read so far")
            return []
        }
        guard
            let here = stops.firstIndex(where: {
                showsConflicts(ofPane: $0) || hasAllRows(ofPane: $0)
            })
        else {
            let shown = stops.first { panes[$0].id.part == pane?.id.part }
            return showConflicts(ofPane: shown ?? stops[0], fromStart: step > 0)
        }
        // Beyond the rows at hand there may be more.
        let end = list.start + list.rows.count
        if step > 0 ? end < list.total : list.start > 0 {
            selectInList(step > 0 ? max(end, list.cursor + 1) : min(list.start, list.cursor) - 1)
            return []
        }
        let there = stops[(here + (step > 0 ? 1 : stops.count - 1)) % stops.count]
        return showConflicts(ofPane: there, fromStart: step > 0)
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
        guard let jump = conflictJump, let there = list, there.isLoaded, there.pending == nil,
            there.wanted == nil
        else { return [] }
        if jump.isLast {
            conflictJump?.isLast = false
            selectInList(.max)
        }
        guard let list, let row = list.selectedRow else {
            guard there.total == 0 else { return [] }
            conflictJump = nil
            if !there.latestQuery.filter.isEmpty {
                let (all, next) = (keymap.hint(for: "back"), keymap.hint(for: "next-conflict"))
                say(.info, "no conflict matches the filter here; \(all) shows all, \(next) goes on")
            }
            return []
        }
        conflictJump = nil
        if !needsPerson(row) {
            let rows = list.rows.indices.filter { needsPerson(list.rows[$0]) }
                .map { $0 + list.start }
            let next =
                jump.isForwards
                ? rows.first { $0 > list.cursor } ?? rows.first
                : rows.last { $0 < list.cursor } ?? rows.last
            if let next { selectInList(next) }
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
