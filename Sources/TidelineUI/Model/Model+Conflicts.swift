import TidelineCore

/// A search for a conflict in a list that might not have loaded yet.
struct ConflictJump: Hashable, Sendable {
    /// Whether to search forwards.
    var isForwards: Bool
    /// Whether to open the conflict screen on arrival.
    var opens: Bool
    /// Whether the selected row may be the result.
    var includesSelected = false
    /// Whether the search has continued at the other end of the list.
    var hasWrapped = false
    /// Whether a write started the search. Its message stays visible.
    var isAfterWrite = false
    /// The row that the search started at; `nil` if it started in another list.
    var start: RowID?
}

/// Moves from conflict to conflict in the list of all conflicts.
extension Model {
    /// The pane that lists all conflicts; if the store has no such pane, the open pane.
    private var conflictPane: Int {
        navigation.panes.firstIndex(where: \.listsConflicts) ?? navigation.activePane
    }

    /// Selects the next conflict that isn't ignored, wrapping around at the end of the list. In
    /// another list, shows the conflict of the selected row, or the first conflict inside the row,
    /// in the list of all conflicts. On the conflict screen, opens the next conflict.
    mutating func goToConflict(by step: Int) -> [Effect] {
        guard let list, let pane else { return [] }
        var jump = ConflictJump(isForwards: step > 0, opens: false)
        var place = list.selectedRow.flatMap { row in
            row.isConflict || row.conflictsInside > 0 ? self.place(of: row.id) : nil
        }
        if let view = overlay?.module as? ConflictView {
            jump.opens = true
            place = self.place(of: view.row, part: view.conflict?.part)
            overlay = nil
        }
        panels.focus = .list
        if conflictPane == navigation.activePane, pane.lists.count == 1 {
            jump.start = list.cursorID
            return findConflict(jump)
        }
        rememberWayBack()
        showPane(conflictPane)
        let effects = navigation.leaveInnerLists(of: conflictPane, keeping: 1)
        jump.includesSelected = !jump.opens || place == nil
        navigation.conflictJump = jump
        if let row = place?.listedRow { navigation.reveal(row) }
        return effects
    }

    /// Opens the next conflict after a write, if the conflict screen is next to the list. Waits
    /// until the list has been read again without the resolved conflict. Does nothing if no row was
    /// written, because the list isn't read again in this case.
    mutating func advanceConflict(after dialog: PreviewDialog, _ applied: [AppliedEdit]) {
        guard dialog.isOfConflict, dialog.direction == .edit, time == nil,
            dialog.previews.allSatisfy({ $0.edit.kind == .resolve }),
            applied.contains(where: { !$0.rows.isEmpty }), ConflictView.isBesideList(in: context)
        else { return }
        navigation.conflictJump = ConflictJump(
            isForwards: true, opens: true, includesSelected: true, isAfterWrite: true)
    }

    /// Selects the next loaded conflict after the selected row, or the next row that isn't loaded.
    private mutating func findConflict(_ jump: ConflictJump) -> [Effect] {
        guard let list else { return [] }
        var jump = jump
        jump.includesSelected = true
        let stops = list.rows.indices.filter { needsAttention(list.rows[$0]) }
            .map { $0 + list.start }
        let next =
            jump.isForwards ? stops.first { $0 > list.cursor } : stops.last { $0 < list.cursor }
        if let next {
            selectInList(next)
            return arrive(jump)
        }
        if let beyond = numberBeyondRows(of: list, isForwards: jump.isForwards) {
            navigation.conflictJump = jump
            selectInList(beyond)
            return []
        }
        guard !jump.hasWrapped, list.total > 0 else {
            navigation.conflictJump = nil
            if !jump.isAfterWrite { say(.info, "no other conflict") }
            return []
        }
        jump.hasWrapped = true
        navigation.conflictJump = jump
        selectInList(jump.isForwards ? 0 : list.total - 1)
        return landOnConflict()
    }

    /// Returns the number of the next row beyond the loaded rows.
    private func numberBeyondRows(of list: ListState, isForwards: Bool) -> Int? {
        let end = list.start + list.rows.count
        if isForwards { return end < list.total ? max(end, list.cursor + 1) : nil }
        return list.start > 0 ? min(list.start, list.cursor) - 1 : nil
    }

    /// Ends a search at the selected row.
    private mutating func arrive(_ jump: ConflictJump) -> [Effect] {
        navigation.conflictJump = nil
        if jump.hasWrapped, jump.start != nil, jump.start == list?.cursorID {
            say(.info, "no other conflict")
        }
        return jump.opens ? openConflict() : []
    }

    /// Continues a search once its list has loaded.
    mutating func landOnConflict() -> [Effect] {
        guard let jump = navigation.conflictJump, let list, list.isLoaded, list.pending == nil,
            list.wanted == nil
        else { return [] }
        if jump.opens, overlay != nil {
            navigation.conflictJump = nil
            return []
        }
        guard list.total > 0 else {
            navigation.conflictJump = nil
            if !jump.isAfterWrite, !list.latestQuery.filter.isEmpty {
                say(
                    .info,
                    "no conflict matches the filter; press \(keymap.hint(for: "back")) "
                        + "to show all")
            }
            return []
        }
        guard let row = list.selectedRow else { return [] }
        if jump.includesSelected, needsAttention(row) { return arrive(jump) }
        return findConflict(jump)
    }
}
