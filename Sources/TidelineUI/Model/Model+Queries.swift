import TidelineCore

/// Typing, running and saving queries.
extension Model {
    /// Whether the rows of a list are queries.
    func holdsQueries(_ source: SourceID) -> Bool {
        navigation.panes.contains { pane in
            pane.lists.contains { $0.source.id == source && $0.source.holdsQueries }
        }
    }

    /// The reason why no query can be saved; `nil` if a query is selected or its results are shown.
    var whyNoQuery: String? {
        if let rowsAreElsewhere { return rowsAreElsewhere }
        return selectedQuery == nil ? "no query is selected" : nil
    }

    mutating func beginQuery(in source: SourceInfo) {
        open(FieldEditor(source: source.id, purpose: .run(nil)))
    }

    mutating func beginEditing(query: TypedText, row: RowID, in source: SourceInfo) {
        var editor = FieldEditor(source: source.id, purpose: .run(row))
        editor.name = TextField(selectedQuery?.name ?? "")
        editor.value = TextField(query.text)
        open(editor)
    }

    /// Asks for the name under which the selected query is saved.
    mutating func beginKeepingQuery() {
        guard let (list, row, name) = selectedQuery else { return }
        beginRenaming(row, from: name, in: list.id)
    }

    /// Shows the results of a typed query, or the reason why it failed.
    mutating func receiveQueried(_ id: RequestID, _ answer: Answer<QueryResults>) -> [Effect] {
        guard var editor = overlay?.module as? FieldEditor, editor.pending == id else {
            if case .success(let results) = answer { return [.release([results.list.id])] }
            return []
        }
        editor.pending = nil
        switch answer {
        case .failure(let failure):
            editor.problem = failure.message
            overlay = Overlay(editor)
            return []
        case .success(let results):
            overlay = nil
            guard let pane, pane.lists.first?.source.id == editor.source else {
                return [.release([results.list.id])]
            }
            let effects = navigation.leaveInnerLists(of: navigation.activePane, keeping: 1)
            navigation.reveal(results.row)
            enter(results.list)
            navigation.withList { $0.opener = results.row }
            return effects
        }
    }
}

extension ScreenState {
    /// The list of queries, with the selected query or the query whose results are shown; `nil` in
    /// other panes.
    var selectedQuery: (list: SourceInfo, row: RowID, name: String)? {
        guard let pane, let list = pane.lists.first, list.source.holdsQueries,
            let row = pane.lists.count > 1 ? pane.lists[1].opener : list.selectedRow?.id
        else { return nil }
        let name = list.rows.first { $0.id == row }?.cells.first?.text
        return (list.source, row, name ?? "")
    }
}
