import Replication
import TidelineCore

/// The list of the open pane. The state of each list is a ``ListState``.
struct ListRegion: RegionModule {
    /// A row that was left by following a link, to return to.
    struct Place: Hashable, Sendable {
        var pane: PaneID
        var depth: Int
        var row: RowID?
        /// The event whose link was followed.
        var event: Int?
    }

    var trail: [Place] = []
    /// Whether the selection follows new rows.
    var isFollowing = false

    static let region = Region.list
    static let isAboutRow = true

    static func move(by delta: Int, in model: inout Model) {
        guard let list = model.list, list.total > 0 else { return }
        model.selectInList(list.cursor.moved(by: delta, of: list.total))
        if delta < 0, model.regions.list.isFollowing {
            model.regions.list.isFollowing = false
            let key = model.preferences.keymap.hint(for: "follow")
            model.say(.info, "stopped following. Press \(key) to follow again")
        }
    }

    static func moveToEnd(last: Bool, row: Int?, in model: inout Model) {
        model.selectInList(row.map { max(0, $0 - 1) } ?? (last ? .max : 0))
    }

    /// Scrolls the visible rows. The selection only moves when it would leave the view.
    static func scroll(by delta: Int, in model: inout Model) {
        let height = model.layout.listHeight
        model.navigation.withList { list in
            let top = max(0, min(list.top + delta, list.total - height))
            list.top = top
            let cursor = max(top, min(list.cursor, top + height - 1))
            if cursor != list.cursor {
                list.select(cursor)
                list.extendRange()
            }
            list.isTouched = true
        }
        if delta < 0 { model.regions.list.isFollowing = false }
    }

    static func scrollSideways(by columns: Int, in model: inout Model) {
        let width = model.layout.inner(.list)?.columns ?? model.panels.size.columns
        if let list = model.list {
            guard columns < 0 || list.isCutOff(width: width) else {
                return model.say(.info, "no column or text is cut off here")
            }
            guard columns > 0 || list.isScrolledSideways else {
                return model.say(.info, "already at the first column")
            }
        }
        model.navigation.withList { $0.scrollSideways(by: columns, width: width) }
    }

    static func pageHeight(in model: Model) -> Int { model.layout.listHeight }

    /// Opens the selected row: a store, a conflict, a nested list, or else the inspector.
    static func open(in model: inout Model) -> [Effect] {
        guard let list = model.list, let row = list.selectedRow else {
            model.say(.info, "no row is selected")
            return []
        }
        if list.source.rowsAreStores { return model.openStore(row.id.name) }
        if let filter = row.outerFilter { return model.filterOuterList(by: filter) }
        if row.isConflict, !list.source.conflictsHoldLists { return model.openConflict() }
        model.navigation.withList { $0.isTouched = true }
        let id = model.requests.wait(for: .open(row.id), of: list.source.id)
        return [.open(id, list.source.id, row.id, at: list.query.instant)]
    }

    static func click(
        at point: Point, in inner: Rect, of model: inout Model
    ) -> (isHit: Bool, effects: [Effect]) {
        guard let list = model.list else { return (false, []) }
        let line = point.row - Layout.titleRows(in: inner)
        guard line >= 0 else {
            model.sort(byColumnAt: point.column, width: inner.columns)
            return (false, [])
        }
        guard list.top + line < list.total else { return (false, []) }
        model.selectInList(list.top + line)
        return (true, [])
    }

    static func alert(in model: Model) -> Alert? {
        guard let pane = model.pane, let list = model.list, let row = list.selectedRow,
            list.source.whyNoAlert == nil
        else { return nil }
        // For a device, or a write in the log, the alert is about that device.
        if let device = row.device,
            row.id == RowID(device.name) || list.source.newestEnd != nil
        {
            return .device(device)
        }
        let name = row.cells.first?.text ?? ""
        var named = Alert.NamedRow(
            pane: pane.id, row: row.id,
            name: name.isEmpty ? row.id.name : name.replacing("\n", with: " "))
        // Events name the row in conflict, not the conflict.
        if pane.listsConflicts, let place = model.place(of: row.id) {
            (named.pane, named.row) = (PaneID(place.part), RowID(place.row))
        }
        return .row(named)
    }

    static func reveal(in model: inout Model) {
        let height = model.layout.listHeight
        for pane in model.navigation.panes.indices {
            for list in model.navigation.panes[pane].lists.indices {
                model.navigation.panes[pane].lists[list].reveal(height: height)
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
        // A total of rows means nothing if none was loaded.
        let isUnread = list.rows.isEmpty && model.session.status.phase == .gone
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
        // A missing store can't be read, but the sides of a conflict may be loaded.
        if model.session.status.phase == .gone {
            return (isConflict ? ["enter"] : []) + ["next-pane", "help"]
        }
        if list.source.holdsQueries {
            return (list.total == 0 ? [] : ["enter", "edit", "keep-query"])
                + ["add", "filter", "next-pane", "help"]
        }
        if model.selectedQuery != nil {
            return ["keep-query", "edit", "filter", "search", "sort", "copy", "back", "help"]
        }
        if list.isLoaded, list.total == 0 {
            return (list.query.filter.isEmpty ? [] : ["filter", "back"])
                + (model.writing.isWritable ? ["add"] : model.editHints) + [
                    "next-pane", "time", "help",
                ]
        }
        if model.whyNoCounter == nil, model.writing.isWritable {
            return ["count-up", "count-down", "filter"] + model.editHints + ["time", "help"]
        }
        // Lists without a past have room for more hints and often contain nested lists; the keys
        // for the past and for conflicts would lead to other panes.
        let hasRoom = !list.source.hasPast
        let canRing = !model.session.status.devices.isEmpty && alert(in: model) != nil
        let row = list.selectedRow
        let opens = isConflict || hasRoom || row?.opensList == true || row?.isFolder == true
        let resolves = isConflict && model.pane?.listsConflicts == true
        var names = opens ? ["enter"] : []
        if resolves { names += ["resolve-many", "ignore"] }
        names.append("filter")
        if !isConflict { names.append("search") }
        names += model.editHints + [hasRoom ? "sort" : "next-conflict"]
        if !hasRoom { names.append("time") } else if canRing { names.append("alert") }
        return names + ["follow", "help"]
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
