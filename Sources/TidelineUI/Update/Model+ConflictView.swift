import TidelineCore

extension Model {
    mutating func openConflict() -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        var view = ConflictView(
            source: list.source.id, row: row.id, title: row.shownName ?? row.id.name)
        view.show(panelStates.conflicts.known[row.id])
        return open(Overlay(view))
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
