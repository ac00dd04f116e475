import Replication
import TidelineCore

/// The panes with their lists, and the rows and panes to go to once they have loaded.
struct Navigation: Sendable {
    /// A pane with the lists opened in it, outermost first.
    struct PaneState: Hashable, Sendable {
        var id: PaneID
        var lists: [ListState]
        /// The group of the pane. The tabs and the sidebar separate groups.
        var group = PaneGroup.data
        /// Whether the pane lists only conflicts.
        var listsConflicts = false
        /// The number key of the tab.
        var number: Int?
        /// Whether the rows will be grouped into folders when the pane is shown.
        var wantsFolders = false

        var list: ListState {
            get { lists[lists.count - 1] }
            set { lists[lists.count - 1] = newValue }
        }

        /// Whether the rows are grouped into folders.
        var isGrouped: Bool {
            lists.count > 1
                ? lists[1].opener != nil && lists[1].opener == lists[0].source.folders
                : wantsFolders
        }

        /// Whether the list could be mistaken for another list, because it is nested, belongs to
        /// another device, or is about one of several documents.
        var needsName: Bool {
            lists.count > 1 || list.source.owner != nil || list.source.subject != nil
        }
    }

    /// A row that the user left by following a link, and can return to.
    struct WayBack: Hashable, Sendable {
        var pane: PaneID
        var depth: Int
        var row: RowID?
        /// The event whose link was followed.
        var event: Int?
    }

    var panes: [PaneState] = []
    var activePane = 0
    /// The name of the pane that the user asked for. The pane is shown once it exists.
    var wantedPane: String?
    /// The last open pane, to be shown once it exists.
    var savedPane: String?
    /// The row to select once the first list contains it.
    var wantedRow: RowID?
    /// The rows that the user left by following links, oldest first.
    var trail: [WayBack] = []
    /// The rows last selected in the panes, to be selected once their lists have loaded.
    var leftRows: [PaneID: RowID] = [:]
    /// The column layouts, by pane and list.
    var columnViews: [String: StoreView.Columns] = [:]
    /// The conflict to go to once its list has loaded.
    var conflictJump: ConflictJump?
}

extension Navigation {
    var pane: PaneState? { panes.indices.contains(activePane) ? panes[activePane] : nil }

    /// Returns whether a pane and the pane before it are in different groups.
    func startsGroup(_ index: Int) -> Bool {
        index > 0 && panes[index].group != panes[index - 1].group
    }

    /// The focused list; `nil` until the session reports its panes.
    var list: ListState? {
        get { pane?.list }
        set {
            guard let newValue, panes.indices.contains(activePane) else { return }
            panes[activePane].list = newValue
        }
    }

    /// The name of the Events panel, which isn't a pane of the store.
    static let eventsName = "events"

    /// The names of all panes and panels that can be shown.
    var paneNames: String {
        // If several nested panes have the same name, the name refers to the first of them.
        (panes.map(\.id.name) + [Self.eventsName]).uniqued().joined(separator: ", ")
    }

    mutating func withList<Result>(_ body: (inout ListState) -> Result) -> Result? {
        guard panes.indices.contains(activePane) else { return nil }
        return body(&panes[activePane].lists[panes[activePane].lists.count - 1])
    }

    /// Removes the user's marks of deleted rows, except in lists of an earlier time or of
    /// differences, which still have these rows.
    mutating func unmark(_ deleted: [RowID], in pane: PaneID) {
        guard let place = panes.firstIndex(where: { $0.id == pane }) else { return }
        for index in panes[place].lists.indices {
            let list = panes[place].lists[index]
            if list.chosen.isEmpty || list.query.instant != nil || list.isDifference
                || list.isComparison
            {
                continue
            }
            panes[place].lists[index].unmark(deleted)
        }
    }

    /// Returns the pane that a list belongs to.
    func paneName(of source: SourceID) -> String {
        let pane = panes.first { $0.lists.contains { $0.source.id == source } } ?? self.pane
        return pane?.id.text ?? ""
    }

    /// Returns the key under which the column layout of a list is saved.
    func columnKey(of list: ListState, in pane: PaneID) -> String {
        "\(pane.text)/\(list.source.title)"
    }

    /// Returns a list with its saved column layout.
    func newList(of source: SourceInfo, in pane: PaneID, _ query: RowQuery) -> ListState {
        var list = ListState(source: source, query: query)
        if let view = columnViews[columnKey(of: list, in: pane)] { list.columnView = view }
        return list
    }

    mutating func setFilter(_ text: String) {
        withList {
            $0.filterProblem = nil
            $0.show { $0.filter = text }
        }
    }

    mutating func reveal(_ row: RowID) { withList { $0.reveal(row) } }

    mutating func selectRow(named text: String) {
        withList { list in
            list.isTouched = true
            list.want(.named(text))
        }
    }

    /// Requests the rows of every list as of an instant; `nil` for now.
    mutating func show(asOf instant: Timestamp?) {
        for pane in panes.indices {
            for list in panes[pane].lists.indices
            where panes[pane].lists[list].latestQuery.instant != instant {
                // The selected row stays selected, even if the user didn't choose it.
                panes[pane].lists[list].isTouched = true
                panes[pane].lists[list].show { $0.instant = instant }
            }
        }
    }

    /// Closes nested lists.
    mutating func leaveInnerLists(of pane: Int, keeping count: Int) -> [Effect] {
        guard panes.indices.contains(pane), panes[pane].lists.count > count, count > 0 else {
            return []
        }
        let left = panes[pane].lists[count...]
        panes[pane].lists.removeSubrange(count...)
        return left.compactMap { $0.pending.map { .cancel($0.id) } }
            + [.release(left.flatMap(\.sources))]
    }

    /// Closes comparisons of two instants, with their nested lists.
    mutating func leaveDifferences(of pane: Int) -> [Effect] {
        guard panes.indices.contains(pane),
            let first = panes[pane].lists.firstIndex(where: \.isDifference)
        else { return [] }
        return leaveInnerLists(of: pane, keeping: first)
    }
}
