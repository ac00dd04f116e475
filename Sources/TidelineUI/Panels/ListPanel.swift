import Replication
import TidelineCore

/// The list of the open pane. The state of each list is a ``ListState``.
struct ListPanel: PanelModule {
    /// The panes with their lists.
    var navigation = Navigation()
    /// Whether the selection follows new rows.
    var isFollowing = false

    /// Selects a row by index because the user asked for it.
    mutating func select(_ index: Int, in context: ScreenContext) -> [ScreenOutcome] {
        navigation.withList { list in
            list.select(index)
            list.isTouched = true
            list.reveal(height: context.layout.listHeight)
            list.extendRange()
        }
        return [.rowSelected] + stopFollowing(in: context)
    }

    /// Stops following if the user left the place of new rows.
    private mutating func stopFollowing(in context: ScreenContext) -> [ScreenOutcome] {
        guard isFollowing, let list = navigation.list, !list.startsWithNewest || list.cursor > 0
        else { return [] }
        isFollowing = false
        let key = context.keymap.hint(for: "follow")
        return [.notice(.info, "stopped following; press \(key) to follow again")]
    }

    mutating func move(by delta: Int, in context: ScreenContext) -> [ScreenOutcome] {
        guard let list = navigation.list, list.total > 0 else { return [] }
        return select(list.cursor.moved(by: delta, of: list.total), in: context)
    }

    mutating func moveToEnd(
        last: Bool, row: Int?, in context: ScreenContext
    ) -> [ScreenOutcome] {
        select(row.map { max(0, $0 - 1) } ?? (last ? .max : 0), in: context)
    }

    /// Scrolls the visible rows. The selection moves only if it would no longer be visible.
    mutating func scroll(by delta: Int, in context: ScreenContext) -> [ScreenOutcome] {
        let height = context.layout.listHeight
        navigation.withList { list in
            let top = max(0, min(list.top + delta, list.total - height))
            list.top = top
            let cursor = max(top, min(list.cursor, top + height - 1))
            if cursor != list.cursor {
                list.select(cursor)
                list.extendRange()
            }
            list.isTouched = true
        }
        return stopFollowing(in: context)
    }

    mutating func scrollSideways(by columns: Int, in context: ScreenContext) -> [ScreenOutcome] {
        let width = context.layout.inner(.list)?.columns ?? context.size.columns
        guard let list = navigation.list else { return [] }
        guard columns < 0 || list.isCutOff(width: width) else {
            return [.notice(.info, "no column or text is cut off here")]
        }
        guard columns > 0 || list.isScrolledSideways else {
            return [.notice(.info, "already at the first column")]
        }
        navigation.withList { $0.scrollSideways(by: columns, width: width) }
        return []
    }

    func pageHeight(in context: ScreenContext) -> Int { context.layout.listHeight }

    /// Opens the selected row: a store, a conflict, a nested list, or else the inspector. A row of
    /// a list of values becomes a filter of the outer list instead.
    mutating func open(in context: ScreenContext) -> [ScreenOutcome] {
        guard let list = navigation.list, let row = list.selectedRow else {
            return [.notice(.info, "no row is selected")]
        }
        if list.source.rowsAreStores { return [.openStore(row.id.name)] }
        if let filter = row.outerFilter { return [.filterOuterList(filter)] }
        if row.isConflict, !list.source.conflictsHoldLists { return [.openConflict] }
        navigation.withList { $0.isTouched = true }
        return [.openRow(row.id)]
    }

    mutating func click(at point: Point, in inner: Rect, of context: ScreenContext) -> Click {
        guard let list = navigation.list else { return (false, []) }
        let line = point.row - Layout.titleRows(in: inner)
        guard line >= 0 else {
            return (false, sort(byColumnAt: point.column, width: inner.columns))
        }
        guard list.top + line < list.total else { return (false, []) }
        return (true, select(list.top + line, in: context))
    }

    /// Sorts by the clicked column. Another click reverses the order.
    private mutating func sort(byColumnAt column: Int, width: Int) -> [ScreenOutcome] {
        guard let list = navigation.list,
            let span = list.spans(width: width).first(where: { $0.range.contains(column) }),
            list.source.columns.indices.contains(span.index)
        else { return [] }
        let column = list.source.columns[span.index]
        guard column.isSortable else { return [] }
        // A slow sort can only be chosen in the menu, which warns about it.
        guard column.sortCost == nil else { return [.openSortMenu] }
        let sort = list.latestQuery.sort
        let isDescending = sort?.column == column.id && sort?.isDescending == false
        navigation.withList {
            $0.show { $0.sort = .init(column: column.id, isDescending: isDescending) }
        }
        return []
    }

    /// Marks the selected row, or removes its mark, and selects the next row.
    mutating func choose(in context: ScreenContext) -> [ScreenOutcome] {
        navigation.withList { list in
            guard let row = list.selectedRow else { return }
            list.rangeAnchor = nil
            if list.chosen.remove(row.id) == nil { list.chosen.insert(row.id) }
            list.select(list.cursor + 1)
            list.isTouched = true
            list.reveal(height: context.layout.listHeight)
        }
        return []
    }

    func alert(in context: ScreenContext) -> Alert? { navigation.alert }

    mutating func reveal(in context: ScreenContext) {
        let height = context.layout.listHeight
        for pane in navigation.panes.indices {
            for list in navigation.panes[pane].lists.indices {
                navigation.panes[pane].lists[list].reveal(height: height)
            }
        }
    }

    func title(in context: ScreenContext) -> String {
        guard let pane = navigation.pane else { return "…" }
        return (pane.number.map { "\($0) " } ?? "") + context.breadcrumb + context.queryText
    }

    func place(in context: ScreenContext) -> String {
        guard let list = navigation.list else { return "" }
        var text = list.rangeAnchor == nil ? "" : "range  "
        if !list.chosen.isEmpty { text += "\(Counted.grouped(list.chosen.count)) marked  " }
        // The total isn't meaningful if no row was loaded.
        let isUnread = list.rows.isEmpty && context.session.status.phase == .missing
        guard list.isLoaded, !isUnread else { return text }
        if list.total == 0, !list.query.filter.isEmpty,
            let whole = context.totalWithoutFilter(of: list)
        {
            return text + "0 of \(Counted.grouped(whole)) "
        }
        let total = Counted.grouped(list.total) + (list.isTotalExact ? "" : "+")
        let place = list.total == 0 ? "0" : Counted.grouped(list.cursor + 1)
        return text + "\(place)/\(total) "
    }

    func hints(in context: ScreenContext) -> [String] {
        guard let list = navigation.list else { return ["help"] }
        let isEmpty = list.isLoaded && list.total == 0
        if list.source.rowsAreStores {
            if isEmpty { return list.query.filter.isEmpty ? ["help"] : ["filter", "back", "help"] }
            return ["enter", "filter", "search", "sort", "help"]
        }
        let row = list.selectedRow
        let isConflict = row?.isConflict == true
        // A missing store can't be read, but the sides of a conflict may be loaded.
        if context.session.status.phase == .missing {
            return (isConflict ? ["enter"] : []) + ["next-pane", "help"]
        }
        if list.source.holdsQueries {
            return (list.total == 0 ? [] : ["enter", "edit", "keep-query"])
                + ["add", "filter", "next-pane", "help"]
        }
        if context.selectedQuery != nil {
            return ["keep-query", "edit", "filter", "search", "sort", "copy", "back", "help"]
        }
        let isWritable = context.writing.isWritable
        let isNested = (navigation.pane?.lists.count ?? 0) > 1
        let back = isNested ? ["back"] : []
        if isEmpty {
            return (list.query.filter.isEmpty ? back : ["filter", "back"])
                + (isWritable ? ["add"] : context.editHints)
                + (isNested ? [] : ["next-pane"]) + ["time", "help"]
        }
        if isWritable, list.hasCounter, list.source.edits[.count] == .available {
            return ["count-up", "count-down"] + back + ["filter"] + context.editHints
                + ["time", "help"]
        }
        // Leave out the keys for time travel and for conflicts in lists without a past. This makes
        // room for the keys that open a row, sort the list, and add an alert.
        let hasRoom = !list.source.hasPast
        let canRing = !context.session.status.devices.isEmpty && navigation.alert != nil
        let opens = isConflict || hasRoom || row?.opensList == true || row?.isFolder == true
        let resolves = isConflict && navigation.pane?.listsConflicts == true
        var names = opens ? ["enter"] : []
        if isWritable, context.refusal(.takeOver) == nil { names.append("take-over") }
        names += back
        if resolves { names += ["resolve-many", "ignore"] }
        names.append("filter")
        let isMarked = list.rangeAnchor != nil || !list.chosen.isEmpty
        if !isNested, isMarked || list.hasTypedFilter { names.append("back") }
        if !isConflict { names.append("search") }
        names += context.editHints + [hasRoom ? "sort" : "next-conflict"]
        if !hasRoom { names.append("time") } else if canRing { names.append("alert") }
        return names + ["follow", "help"]
    }

    func ages(in inner: Rect, of context: ScreenContext) -> [Timestamp] {
        guard let list = navigation.list, context.instant == nil || !list.source.hasPast else {
            return []
        }
        let spans = list.spans(width: inner.columns).filter { $0.timeForm == .age }
        return list.visibleRows(context.layout.listHeight).flatMap { row in
            spans.compactMap {
                row.cells.indices.contains($0.index) ? row.cells[$0.index].instant : nil
            }
        }
    }
}

extension Navigation {
    var alert: Alert? { list?.selectedRow.flatMap(alert(on:)) }

    /// Returns the alert on a row of the open list; `nil` if the row can't have one.
    func alert(on row: Row) -> Alert? {
        guard let pane, let list, list.source.whyNoAlert == nil else { return nil }
        // If the row is a device, or a write in the log, the alert is about its device.
        if let device = row.device,
            row.id == RowID(device.name) || list.source.isNewestFirst
        {
            return .device(device)
        }
        let name = row.shownName ?? ""
        var named = Alert.NamedRow(
            pane: pane.id, row: row.id,
            name: name.isEmpty ? row.id.name : name.replacing("\n", with: " "))
        // Events name the row in conflict, not the conflict.
        if pane.listsConflicts, let place = ConflictPlace(listed: row.id) {
            (named.pane, named.row) = (PaneID(place.part), RowID(place.row))
        }
        return .row(named)
    }
}
