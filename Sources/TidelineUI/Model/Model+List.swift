import TidelineCore

extension Model {
    /// Selects a row by number at the user's request.
    mutating func selectInList(_ index: Int) {
        _ = change(\.list) { $0.select(index, in: $1) }
    }
}

extension ScreenState {
    /// The path of the list: the pane, its subject and its owner (if the list could be mistaken for
    /// another list), and the nested lists.
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
