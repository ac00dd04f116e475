import TidelineCore

extension Model {
    /// Selects a row by number at the user's request.
    mutating func selectInList(_ index: Int) {
        time?.row = nil
        let height = layout.listHeight
        navigation.withList { list in
            list.select(index)
            list.isTouched = true
            list.reveal(height: height)
            list.extendRange()
        }
    }

    /// Sorts by the clicked column. Another click reverses the order.
    mutating func sort(byColumnAt column: Int, width: Int) {
        guard let list,
            let span = list.spans(width: width).first(where: { $0.range.contains(column) }),
            list.source.columns.indices.contains(span.index),
            list.source.columns[span.index].isSortable
        else { return }
        // Sorting that is slow is chosen in the menu, which warns about it.
        guard list.source.columns[span.index].sortCost == nil else { return openSortMenu() }
        let id = list.source.columns[span.index].id
        let isSame = list.latestQuery.sort?.column == id
        let isDescending = isSame && list.latestQuery.sort?.isDescending == false
        navigation.withList { $0.show { $0.sort = .init(column: id, isDescending: isDescending) } }
    }

    /// The action that edits the value if possible, or the one that unlocks writing.
    var editHints: [String] {
        if writing.isWritable { return canEdit(.set).reason == nil ? ["edit"] : [] }
        if selectedQuery != nil { return ["edit"] }
        return list?.source.edits.isEmpty == false ? ["unlock"] : []
    }

    /// The path of the list: the pane, its subject and owner if they could be mistaken, and the
    /// nested lists.
    var breadcrumb: String {
        guard let pane else { return "" }
        let names = pane.lists.map { list in
            list.source.title + (list.source.subject.map { " of \($0)" } ?? "")
                + (list.source.owner.map { " (\($0))" } ?? "")
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
