import Replication
import TidelineCore

/// The sidebar: the panes and devices of the store. Blank lines separate the groups of panes.
struct SidebarPanel: PanelModule {
    /// A selectable item.
    enum Item: Hashable, Sendable {
        case pane(Int)
        case device(SessionStatus.Device)
    }

    var cursor = 0

    mutating func move(by delta: Int, in context: ScreenContext) -> [ScreenOutcome] {
        cursor = cursor.moved(by: delta, of: items(in: context).count)
        return []
    }

    func open(in context: ScreenContext) -> [ScreenOutcome] {
        switch selectedItem(in: context) {
        case .pane(let index): [.showPane(index)]
        case .device(let device): [.showDevice(device.id.name)]
        case nil: []
        }
    }

    mutating func click(at point: Point, in inner: Rect, of context: ScreenContext) -> Click {
        let lines = lines(rows: inner.rows, in: context)
        guard let item = lines.dropFirst(point.row).first?.item else { return (false, []) }
        cursor = item
        return (item >= context.navigation.panes.count, [.showPane(item)])
    }

    func alert(in context: ScreenContext) -> Alert? {
        guard case .device(let device) = selectedItem(in: context) else { return nil }
        return .device(device.id)
    }

    func title(in context: ScreenContext) -> String { "Store" }

    func place(in context: ScreenContext) -> String {
        Self.place(cursor + 1, of: items(in: context).count)
    }

    func ages(in inner: Rect, of context: ScreenContext) -> [Timestamp] {
        lines(rows: inner.rows, in: context).compactMap(\.instant)
    }

    func draw(in inner: Rect, on canvas: inout Canvas) {
        let isFocused = canvas.context.panels.focus == .sidebar
        for (row, line) in lines(rows: inner.rows, in: canvas.context).enumerated() {
            let rect = inner.line(row)
            let trailing = min(CharacterWidth.width(of: line.trailing), rect.columns / 2)
            let room = rect.columns - trailing - (trailing > 0 ? 1 : 0)
            var parts = line.parts.map { (canvas.theme.text($0.0), $0.1) }
            let noted = parts.map(\.0).joined() + line.note
            if !line.note.isEmpty, CharacterWidth.width(of: noted) <= room {
                parts.append((line.note, .dim))
            }
            canvas.put(parts, at: rect.origin, maxWidth: room)
            canvas.surface.put(
                line.trailing,
                at: rect.point(rect.endColumn - trailing),
                style: canvas.theme[.dim], maxWidth: trailing)
            if isFocused, line.item == cursor { canvas.select(rect, in: .sidebar) }
        }
    }
}

private struct SidebarLine {
    var parts: [(String, Role)]
    /// A text after the parts, left out if it doesn't fit as a whole.
    var note = ""
    /// The text at the right end.
    var trailing = ""
    /// The instant whose age ``trailing`` shows.
    var instant: Timestamp?
    /// The index of the item that the line selects.
    var item: Int?
}

extension SidebarPanel {
    private func items(in context: ScreenContext) -> [Item] {
        context.navigation.panes.indices.map { .pane($0) }
            + context.session.status.devices.map { .device($0) }
    }

    private func selectedItem(in context: ScreenContext) -> Item? {
        let items = items(in: context)
        return items.indices.contains(cursor) ? items[cursor] : nil
    }

    /// Returns the visible lines for a height.
    private func lines(rows: Int, in context: ScreenContext) -> [SidebarLine] {
        let (navigation, session) = (context.navigation, context.session)
        var lines: [SidebarLine] = []
        for (index, pane) in navigation.panes.enumerated() {
            if navigation.startsGroup(index) { lines.append(SidebarLine(parts: [])) }
            let number = pane.number.map { "\($0) " } ?? "  "
            lines.append(
                SidebarLine(
                    parts: [
                        (index == navigation.activePane ? "▸" : " ", .label),
                        (number + pane.lists[0].source.title, .plain),
                    ], trailing: Self.trailing(of: pane, in: context),
                    item: index))
        }
        if !session.status.devices.isEmpty {
            lines.append(SidebarLine(parts: []))
            lines.append(
                SidebarLine(
                    // Ages and states are current even during time travel.
                    parts: [(context.instant == nil ? "Devices" : "Devices (now)", .label)],
                    trailing: "\(session.status.devices.count)"))
        }
        for (index, device) in session.status.devices.enumerated() {
            let isFine = device.problem == nil && device.state == "ok"
            lines.append(
                SidebarLine(
                    parts: [
                        (isFine ? " " : "!", .problem),
                        (device.shownName, session.role(of: .device(device.id))),
                    ], note: device.isOwn ? " (this device)" : "",
                    trailing: isFine
                        ? device.newest.map { TimeText.age(of: $0, at: context.now) } ?? ""
                        : device.state,
                    instant: isFine ? device.newest : nil, item: navigation.panes.count + index))
            if let problem = device.problem(inStoreAt: session.path) {
                lines.append(SidebarLine(parts: [("  " + problem, .problem)]))
            }
        }
        lines += session.otherProblems.map {
            SidebarLine(parts: [("! " + $0.withRelativePaths(inStoreAt: session.path), .problem)])
        }
        let selected = lines.firstIndex { $0.item == cursor } ?? 0
        return Array(lines.dropFirst(max(0, selected - rows + 1)).prefix(rows))
    }

    /// Returns the number of rows of a pane; during time travel, `now` for a pane without a past.
    private static func trailing(
        of pane: Navigation.PaneState, in context: ScreenContext
    ) -> String {
        if context.instant != nil, !pane.lists[0].source.hasPast { return "now" }
        if let count = count(of: pane, in: context) { return Counted.grouped(count) }
        guard context.instant == nil, pane.lists[0].source.isComputedOnDemand else { return "" }
        // Files are checked when the pane is opened, but some problems are known before that.
        let known = context.session.problemCount
        return known > 0 ? "\(known)+" : "unchecked"
    }

    /// Returns the number of rows of a pane; `nil` if unknown for the shown instant.
    private static func count(of pane: Navigation.PaneState, in context: ScreenContext) -> Int? {
        let list = pane.lists[0]
        guard let instant = context.instant else {
            return context.session.status.counts[pane.id]
        }
        let isOfThen =
            list.isLoaded && list.query.instant == instant && list.query.filter.isEmpty
            && list.isTotalExact
        return isOfThen ? list.total : nil
    }
}
