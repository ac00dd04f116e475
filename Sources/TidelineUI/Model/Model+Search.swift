import TidelineCore

extension Model {
    /// Moves to the next or previous match of the last search.
    mutating func search(backwards: Bool) {
        if panels.focus == .events {
            let start = panelStates.events.cursor + (backwards ? -1 : 1)
            notice = panelStates.events.search(from: start, backwards: backwards) ?? notice
            return
        }
        navigation.withList { list in list.search(list.searchText, backwards: backwards) }
    }

    mutating func openSortMenu() {
        guard let list else { return }
        let sort = list.latestQuery.sort
        var items = [
            Menu.Item(title: "Unsorted", hint: sort == nil ? "now" : "", choice: .sort(nil))
        ]
        for column in list.source.columns where column.isSortable {
            for isDescending in [false, true] {
                let choice = RowQuery.Sort(column: column.id, isDescending: isDescending)
                items.append(
                    Menu.Item(
                        title: column.title(isDescending: isDescending),
                        hint: sort == choice ? "now" : column.sortCost ?? "",
                        choice: .sort(choice)))
            }
        }
        let cursor = items.firstIndex { $0.hint == "now" } ?? 0
        overlay = Overlay(Menu(title: "Sort by", items: items, cursor: cursor))
    }
}
