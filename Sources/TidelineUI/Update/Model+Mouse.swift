import TidelineCore

extension Model {
    mutating func receive(_ event: MouseEvent) -> [Effect] {
        let point = Point(column: event.column, row: event.row)
        if let overlay { return receive(event, in: overlay) }
        let layout = layout
        if let header = layout.header, header.contains(point), event.kind == .click {
            if let tab = Header(self).tab(at: event.column) { showTab(number: tab) }
            return []
        }
        guard
            let region = Layout.order.first(where: { layout.regions[$0]?.contains(point) == true }),
            let inner = layout.inner(region)
        else { return [] }
        switch event.kind {
        case .wheelUp, .wheelDown:
            let delta = event.kind == .wheelUp ? -3 : 3
            if region == .list {
                scrollList(by: delta)
            } else {
                let before = focus
                focus = region
                move(by: delta)
                focus = before
            }
            return []
        case .click, .doubleClick:
            focus = region
            let row = event.row - inner.row
            guard row >= 0, inner.contains(point) else { return [] }
            let isHit = click(region, row: row, column: event.column - inner.column, inner)
            return isHit && event.kind == .doubleClick ? open() : []
        }
    }

    /// Selects what is at a place in a region.
    ///
    /// - Returns: Whether there was something that can be opened.
    private mutating func click(_ region: Region, row: Int, column: Int, _ inner: Rect) -> Bool {
        switch region {
        case .list:
            guard let list else { return false }
            let line = row - Layout.titleRows(in: inner)
            guard line >= 0 else {
                sort(byColumnAt: column, width: inner.columns)
                return false
            }
            guard list.top + line < list.total else { return false }
            selectInList(list.top + line)
            return true
        case .sidebar:
            guard let item = sidebarLines(rows: inner.rows).dropFirst(row).first?.item else {
                return false
            }
            sidebarCursor = item
            if item < panes.count { showPane(item) }
            return item >= panes.count
        case .inspector:
            guard let index = inspectorLine(atRow: row, in: inner) else { return false }
            inspector.cursor = index
            return inspector.selectedLine?.link != nil
        case .events:
            let lines = feedWindow(rows: inner.rows)
            guard lines.indices.contains(lines.startIndex + row) else { return false }
            feed.cursor = feed.lines.count - 1 - (lines.startIndex + row)
            return selectedFeedLine?.link != nil
        }
    }

    /// A click on a column's title sorts by it; another one turns the order around.
    private mutating func sort(byColumnAt column: Int, width: Int) {
        guard let list else { return }
        let spans = ColumnSpans(
            list.source.columns, contents: list.contentWidths, width: width
        ).spans
        guard let span = spans.first(where: { $0.range.contains(column) }),
            list.source.columns.indices.contains(span.index),
            list.source.columns[span.index].isSortable
        else { return }
        // What costs much is chosen from the menu, which says so.
        guard list.source.columns[span.index].sortCost == nil else { return openSortMenu() }
        let id = list.source.columns[span.index].id
        var query = list.latestQuery
        let isSame = query.sort?.column == id
        query.sort = RowQuery.Sort(
            column: id, isDescending: isSame && query.sort?.isDescending == false)
        withList { $0.show(query) }
    }

    private mutating func receive(_ event: MouseEvent, in overlay: Overlay) -> [Effect] {
        let step = Key(event.kind == .wheelUp ? .up : .down)
        switch event.kind {
        case .wheelUp, .wheelDown:
            // In a line of text, up and down are other texts.
            if case .prompt = overlay { return [] }
            return handle(step, in: overlay)
        case .click, .doubleClick:
            guard case .menu(let menu) = overlay else { return [] }
            let frame = OverlayFrame.menu(menu, size: size)
            let index = event.row - frame.row - 1 + OverlayFrame.firstItem(of: menu, in: frame)
            let point = Point(column: event.column, row: event.row)
            guard frame.inset().contains(point) else {
                self.overlay = nil
                return []
            }
            return choose(index, of: menu)
        }
    }
}
