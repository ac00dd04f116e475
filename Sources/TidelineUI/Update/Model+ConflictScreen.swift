import TidelineCore

extension Model {
    mutating func openConflict() -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        var view = ConflictView(
            source: list.source.id, row: row.id, title: row.shownName ?? row.id.name)
        view.show(panelStates.conflicts.known[row.id])
        return load(view)
    }

    /// Shows a conflict and loads its sides for the current instant.
    mutating func load(_ view: ConflictView) -> [Effect] {
        let (id, detail) = (requests.newID(), requests.newID())
        var view = view
        view.pending = id
        view.detailRequest = detail
        view.version = session.version
        overlay = Overlay(view)
        return [
            .conflicts(id, view.source, [view.row], at: instant),
            .conflictDetail(detail, view.source, view.row, at: instant),
        ]
    }

    /// Reloads the sides if they may have changed.
    mutating func requestConflict() -> [Effect] {
        guard let view = overlay?.module as? ConflictView, view.pending == nil,
            view.detailRequest == nil, view.version != session.version,
            session.status.phase != .missing || view.conflict == nil
        else { return [] }
        return load(view)
    }

    /// Requests the merged value for the current picks.
    mutating func requestProposal() -> [Effect] {
        guard var view = overlay?.module as? ConflictView, view.asked != view.picks,
            !view.picks.isEmpty
        else { return [] }
        let id = requests.newID()
        view.asked = view.picks
        view.proposalRequest = id
        overlay = Overlay(view)
        return [.proposal(id, view.source, view.row, picking: view.sidesPicked, at: instant)]
    }

    /// Edits a row of a conflict, or its part in conflict, even if another row is selected by now.
    mutating func editValue(
        of row: RowID, field: FieldPath?, in source: SourceID, externally: Bool
    ) -> [Effect] {
        let isSelected = list?.source.id == source && list?.selectedRow?.id == row
        return askEditableValue(
            of: row, field: field ?? (isSelected ? selectedField : nil), in: source,
            externally: externally)
    }
}
