import Replication
import TidelineCore

/// The sidebar: the panes and devices of the store.
struct SidebarRegion: RegionModule {
    /// A selectable item.
    enum Item: Hashable, Sendable {
        case pane(Int)
        case device(SessionStatus.Device)
    }

    /// The selected item.
    var cursor = 0

    static let region = Region.sidebar

    static func move(by delta: Int, in model: inout Model) {
        let count = model.sidebarItems.count
        model.regions.sidebar.cursor = model.regions.sidebar.cursor.moved(by: delta, of: count)
    }

    static func open(in model: inout Model) -> [Effect] {
        switch model.selectedSidebarItem {
        case .pane(let index): model.showPane(index)
        case .device(let device): return model.showDevice(device.id.name)
        case nil: break
        }
        return []
    }

    static func click(at point: Point, in inner: Rect, of model: inout Model) -> Bool {
        let lines = model.sidebarLines(rows: inner.rows)
        guard let item = lines.dropFirst(point.row).first?.item else { return false }
        model.regions.sidebar.cursor = item
        model.showPane(item)
        return item >= model.navigation.panes.count
    }

    static func alert(in model: Model) -> Alert? {
        guard case .device(let device) = model.selectedSidebarItem else { return nil }
        return .device(device.id)
    }

    static func title(in model: Model) -> String { "Store" }

    static func place(in model: Model) -> String {
        place(model.regions.sidebar.cursor + 1, of: model.sidebarItems.count)
    }

    static func ages(in inner: Rect, of model: Model) -> [Timestamp] {
        model.sidebarLines(rows: inner.rows).compactMap(\.instant)
    }

    static func draw(in inner: Rect, on screen: inout Screen) {
        for (row, line) in screen.model.sidebarLines(rows: inner.rows).enumerated() {
            let rect = inner.line(row)
            let trailing = min(CharacterWidth.width(of: line.trailing), rect.columns / 2)
            screen.put(
                line.parts.map { (screen.theme.text($0.0), $0.1) }, at: rect.origin,
                maxWidth: rect.columns - trailing - (trailing > 0 ? 1 : 0))
            screen.surface.put(
                line.trailing,
                at: Point(column: rect.endColumn - trailing, row: rect.row),
                style: screen.theme[.dim], maxWidth: trailing)
            if screen.model.panels.focus == .sidebar, let item = line.item,
                item == screen.model.regions.sidebar.cursor
            {
                screen.select(rect, in: .sidebar)
            }
        }
    }
}

/// A line of the sidebar.
private struct SidebarLine {
    var parts: [(String, Role)]
    /// The text at the right end.
    var trailing = ""
    /// The instant whose age ``trailing`` shows.
    var instant: Timestamp?
    /// The index of the item that the line selects.
    var item: Int?
}

extension Model {
    fileprivate var sidebarItems: [SidebarRegion.Item] {
        navigation.panes.indices.map { .pane($0) } + session.status.devices.map { .device($0) }
    }

    fileprivate var selectedSidebarItem: SidebarRegion.Item? {
        let items = sidebarItems
        return items.indices.contains(regions.sidebar.cursor) ? items[regions.sidebar.cursor] : nil
    }

    /// Returns the visible lines for a height.
    fileprivate func sidebarLines(rows: Int) -> [SidebarLine] {
        var lines: [SidebarLine] = []
        for (index, pane) in navigation.panes.enumerated() {
            let number = pane.number.map { "\($0) " } ?? "  "
            lines.append(
                SidebarLine(
                    parts: [
                        (index == navigation.activePane ? "▸" : " ", .label),
                        (number + pane.lists[0].source.title, .plain),
                    ], trailing: trailing(of: pane),
                    item: index))
        }
        if !session.status.devices.isEmpty {
            lines.append(SidebarLine(parts: []))
            lines.append(
                SidebarLine(
                    // Ages and states are current even during time travel.
                    parts: [(time == nil ? "Devices" : "Devices (now)", .label)],
                    trailing: "\(session.status.devices.count)"))
        }
        for (index, device) in session.status.devices.enumerated() {
            let isFine = device.problem == nil && device.state == "ok"
            let name = device.name.isEmpty ? device.id.name : device.name
            lines.append(
                SidebarLine(
                    parts: [
                        (isFine ? " " : "!", .problem),
                        (name, session.role(of: .device(device.id))),
                        (device.isOwn ? " (this device)" : "", .dim),
                    ],
                    trailing: isFine
                        ? device.newest.map { TimeText.age(of: $0, at: now) } ?? "" : device.state,
                    instant: isFine ? device.newest : nil, item: navigation.panes.count + index))
            if let problem = device.problem(inStoreAt: session.path) {
                lines.append(SidebarLine(parts: [("  " + problem, .problem)]))
            }
        }
        lines += session.otherProblems.map {
            SidebarLine(parts: [("! " + $0.withRelativePaths(inStoreAt: session.path), .problem)])
        }
        let selected = lines.firstIndex { $0.item == regions.sidebar.cursor } ?? 0
        return Array(lines.dropFirst(max(0, selected - rows + 1)).prefix(rows))
    }

    /// Returns the number of rows of a pane. During time travel, panes without a past are marked as
    /// current.
    private func trailing(of pane: Navigation.PaneState) -> String {
        if time != nil, !pane.lists[0].source.hasPast { return "now" }
        return count(of: pane).map { TextParts.grouped($0) } ?? ""
    }

    /// Returns the number of rows of a pane; `nil` if unknown for the shown instant.
    private func count(of pane: Navigation.PaneState) -> Int? {
        let list = pane.lists[0]
        guard time != nil else { return session.status.counts[pane.id] }
        let isOfThen =
            list.isLoaded && list.query.instant == instant && list.query.filter.isEmpty
            && list.isTotalExact
        return isOfThen ? list.total : nil
    }

}
