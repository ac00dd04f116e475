import Replication
import TidelineCore

/// The list of the pane that is open. What is known of each list is its ``ListState``.
struct ListRegion: RegionModule {
    /// A row that was left by following a link, to come back to.
    struct Place: Hashable, Sendable {
        var pane: PaneID
        var depth: Int
        var row: RowID?
        /// The event from whose line the link was followed.
        var event: Int?
    }

    var trail: [Place] = []
    /// Whether the selection goes to what is new.
    var isFollowing = false

    static let region = Region.list
    static let isAboutRow = true

    static func move(by delta: Int, in model: inout Model) {
        guard let list = model.list, list.total > 0 else { return }
        model.selectInList(list.cursor.moved(by: delta, of: list.total))
        if delta < 0, model.browsing.isFollowing {
            model.browsing.isFollowing = false
            let key = model.keymap.hint(for: "follow")
            model.say(.info, "no longer following; \(key) follows again")
        }
    }

    static func moveToEnd(last: Bool, row: Int?, in model: inout Model) {
        model.selectInList(row.map { max(0, $0 - 1) } ?? (last ? .max : 0))
    }

    /// Scrolls the visible rows; the selection goes along only at the edge.
    static func scroll(by delta: Int, in model: inout Model) {
        let height = model.layout.listHeight
        model.withList { list in
            let top = max(0, min(list.top + delta, list.total - height))
            list.top = top
            let cursor = max(top, min(list.cursor, top + height - 1))
            if cursor != list.cursor {
                list.select(cursor)
                list.extendRange()
            }
            list.isTouched = true
        }
        if delta < 0 { model.browsing.isFollowing = false }
    }

    static func scrollSideways(by columns: Int, in model: inout Model) {
        let width = model.layout.inner(.list)?.columns ?? model.size.columns
        if let list = model.list, !list.source.isGrid {
            guard columns < 0 || list.hasCutText(width: width) else {
                return model.say(.info, "no text here is longer than its column")
            }
            guard columns > 0 || list.sideScroll > 0 else {
                return model.say(.info, "texts are shown from their beginning")
            }
        }
        model.withList { $0.scrollSideways(by: columns, width: width) }
    }

    static func pageHeight(in model: Model) -> Int { model.layout.listHeight }

    /// Opens the selected row: as a store, a conflict, a list, else in the inspector.
    static func open(in model: inout Model) -> [Effect] {
        guard let list = model.list, let row = list.selectedRow else {
            model.say(.info, "no row is selected")
            return []
        }
        if list.source.rowsAreStores { return model.openStore(row.id.name) }
        if row.isConflict, !list.source.conflictsHoldLists { return model.openConflict() }
        model.withList { $0.isTouched = true }
        let id = model.wait(for: .open(row.id), of: list.source.id)
        return [.open(id, list.source.id, row.id, at: list.query.instant)]
    }

    static func click(at point: Point, in inner: Rect, of model: inout Model) -> Bool {
        guard let list = model.list else { return false }
        let line = point.row - Layout.titleRows(in: inner)
        guard line >= 0 else {
            model.sort(byColumnAt: point.column, width: inner.columns)
            return false
        }
        guard list.top + line < list.total else { return false }
        model.selectInList(list.top + line)
        return true
    }

    static func alert(in model: Model) -> Alert? {
        guard let pane = model.pane, let list = model.list, let row = list.selectedRow,
            list.source.whyNoAlert == nil
        else { return nil }
        // Where a row is a device, or one of its writes, it is what that device writes.
        if let device = row.device,
            row.id == RowID(device.name) || list.source.newestEnd != nil
        {
            return .device(device)
        }
        let name = row.cells.first?.text ?? ""
        return .row(
            Alert.NamedRow(
                pane: pane.id, row: row.id,
                name: name.isEmpty ? row.id.name : name.replacing("\n", with: " ")))
    }

    static func reveal(in model: inout Model) {
        let height = model.layout.listHeight
        for pane in model.panes.indices {
            for list in model.panes[pane].lists.indices {
                model.panes[pane].lists[list].reveal(height: height)
            }
        }
    }

    static func title(in model: Model) -> String {
        guard let pane = model.pane else { return "…" }
        return (pane.number.map { "\($0) " } ?? "") + model.breadcrumb + model.queryText
    }

    static func place(in model: Model) -> String {
        guard let list = model.list else { return "" }
        var text = list.rangeAnchor == nil ? "" : "range  "
        if !list.chosen.isEmpty { text += "\(list.chosen.count) marked  " }
        // That there are rows says nothing where none was read.
        let isUnread = list.rows.isEmpty && model.status.phase == .gone
        guard list.isLoaded, !isUnread else { return text }
        if list.total == 0, !list.query.filter.isEmpty,
            let whole = model.totalWithoutFilter(of: list)
        {
            return text + "0 of \(TextParts.grouped(whole)) "
        }
        let total = TextParts.grouped(list.total) + (list.isTotalExact ? "" : "…")
        let place = list.total == 0 ? "0" : TextParts.grouped(list.cursor + 1)
        return text + "\(place)/\(list.isTotalExact ? "" : "≥")\(total) "
    }

    static func hints(in model: Model) -> [String] {
        if let list = model.list, list.source.rowsAreStores {
            if list.isLoaded, list.total == 0, !list.query.filter.isEmpty {
                return ["filter", "back", "help"]
            }
            return ["enter", "filter", "search", "sort", "help"]
        }
        guard let list = model.list else { return ["help"] }
        let isConflict = list.selectedRow?.isConflict == true
        // No more is read of it; the sides of a conflict were.
        if model.status.phase == .gone {
            return (isConflict ? ["enter"] : []) + ["next-pane", "help"]
        }
        if list.isLoaded, list.total == 0 {
            return (list.query.filter.isEmpty ? [] : ["filter", "back"])
                + (model.isWritable ? ["add"] : model.editHints) + ["next-pane", "time", "help"]
        }
        if model.whyNoCounter == nil, model.isWritable {
            return ["count-up", "count-down", "filter"] + model.editHints + ["time", "help"]
        }
        // What has no past has more room, and often lists inside its rows; its keys for the past
        // and for conflicts lead to other panes.
        let hasRoom = !list.source.hasPast
        let canRing = !model.status.devices.isEmpty && alert(in: model) != nil
        return (isConflict || hasRoom ? ["enter"] : []) + ["filter"]
            + (isConflict ? [] : ["search"])
            + model.editHints + [hasRoom ? "sort" : "next-conflict"]
            + (hasRoom ? canRing ? ["alert"] : [] : ["time"])
            + ["follow", "help"]
    }

    static func ages(in inner: Rect, of model: Model) -> [Timestamp] {
        guard let list = model.list, model.time == nil || !list.source.hasPast else { return [] }
        let spans = list.spans(width: inner.columns).filter { $0.timeForm == .age }
        return list.visibleRows(model.layout.listHeight).flatMap { row in
            spans.compactMap {
                row.cells.indices.contains($0.index) ? row.cells[$0.index].instant : nil
            }
        }
    }
}

extension Model {
    /// Selects a row by its number, as a person does.
    mutating func selectInList(_ index: Int) {
        time?.row = nil
        let height = layout.listHeight
        withList { list in
            list.select(index)
            list.isTouched = true
            list.reveal(height: height)
            list.extendRange()
        }
    }

    /// A click on a column's title sorts by it; another one turns the order around.
    fileprivate mutating func sort(byColumnAt column: Int, width: Int) {
        guard let list,
            let span = list.spans(width: width).first(where: { $0.range.contains(column) }),
            list.source.columns.indices.contains(span.index),
            list.source.columns[span.index].isSortable
        else { return }
        // What costs much is chosen from the menu, which says so.
        guard list.source.columns[span.index].sortCost == nil else { return openSortMenu() }
        let id = list.source.columns[span.index].id
        let isSame = list.latestQuery.sort?.column == id
        let isDescending = isSame && list.latestQuery.sort?.isDescending == false
        withList { $0.show { $0.sort = .init(column: id, isDescending: isDescending) } }
    }

    /// The action that changes the value, where that can be done; where nothing can be written yet,
    /// the one that allows it.
    var editHints: [String] {
        if isWritable { return canEdit(.set).reason == nil ? ["edit"] : [] }
        return list?.source.edits.isEmpty == false ? ["unlock"] : []
    }

    /// Where the list is: the pane, of what and whose it is where that could be mistaken, and what
    /// was opened in it.
    var breadcrumb: String {
        guard let pane else { return "" }
        let names = pane.lists.map { list in
            list.source.title + (list.source.subject.map { " of \($0)" } ?? "")
                + (list.source.owner.map { " (\($0))" } ?? "")
        }
        return names.joined(separator: " › ")
    }

    /// The filter and the order of the list, as its title shows them.
    var queryText: String {
        guard let query = list?.query else { return "" }
        var text = query.filter.isEmpty ? "" : ": \(query.filter)"
        if let sort = query.sort {
            let title = list?.source.columns.first { $0.id == sort.column }?.title ?? sort.column
            text += " (by \(title)\(sort.isDescending ? ", greatest first" : ""))"
        }
        return text
    }
}
