import Replication
import TidelineCore

/// A line of the sidebar.
struct SidebarLine {
    var parts: [(String, Role)]
    /// What stands at the right end.
    var trailing: String
    /// The instant whose age ``trailing`` is.
    var instant: Timestamp?
    /// The item that it selects.
    var item: Int?
}

extension Model {
    /// The lines of the sidebar that are visible in this many rows.
    func sidebarLines(rows: Int) -> [SidebarLine] {
        var lines: [SidebarLine] = []
        for (index, pane) in self.panes.enumerated() {
            let count = status.counts[pane.id].map { TextParts.grouped($0) } ?? ""
            lines.append(
                SidebarLine(
                    parts: [
                        (index == activePane ? "▸" : " ", .label),
                        (
                            (index < 9 ? "\(index + 1) " : "  ") + pane.lists[0].source.title,
                            .plain
                        ),
                    ], trailing: count, item: index))
        }
        if !status.devices.isEmpty {
            lines.append(SidebarLine(parts: [("", .plain)], trailing: "", item: nil))
            lines.append(
                SidebarLine(
                    parts: [("Devices", .label)], trailing: "\(status.devices.count)", item: nil))
        }
        for (index, device) in status.devices.enumerated() {
            let isFine = device.problem == nil && device.state == "ok"
            let name = device.name.isEmpty ? device.id.name : device.name
            lines.append(
                SidebarLine(
                    parts: [
                        (isFine ? " " : "!", .problem),
                        (name, .device(at: index)), (device.isOwn ? " (this)" : "", .dim),
                    ],
                    trailing: isFine
                        ? device.newest.map { TimeText.age(of: $0, at: now) } ?? "" : device.state,
                    instant: isFine ? device.newest : nil,
                    item: self.panes.count + index))
            if let problem = device.problem {
                lines.append(
                    SidebarLine(parts: [("  " + problem, .problem)], trailing: "", item: nil))
            }
        }
        for problem in otherProblems {
            lines.append(
                SidebarLine(parts: [("! " + problem, .problem)], trailing: "", item: nil))
        }
        let selected = lines.firstIndex { $0.item == sidebarCursor } ?? 0
        return Array(lines.dropFirst(max(0, selected - rows + 1)).prefix(rows))
    }

    /// The problems that are not those of devices, which stand beside their devices.
    var otherProblems: [String] {
        let known = status.devices.compactMap(\.problem)
        return status.problems.filter { text in !known.contains { text.hasSuffix($0) } }
    }

    /// The lines of the event feed that are visible in this many rows, the selected one among them.
    func feedWindow(rows: Int) -> ArraySlice<Feed.Line> {
        let end = max(0, min(feed.lines.count, feed.lines.count - feed.cursor + rows / 2))
        let start = max(0, end - rows)
        return feed.lines[start..<min(feed.lines.count, start + rows)]
    }
}

extension Screen {
    mutating func drawSidebar(_ inner: Rect) {
        for (row, line) in model.sidebarLines(rows: inner.rows).enumerated() {
            let rect = Rect(
                column: inner.column, row: inner.row + row, columns: inner.columns, rows: 1)
            let trailing = min(CharacterWidth.width(of: line.trailing), rect.columns / 2)
            put(
                line.parts.map { (theme.text($0.0), $0.1) }, at: rect.origin,
                maxWidth: rect.columns - trailing - (trailing > 0 ? 1 : 0))
            surface.put(
                line.trailing,
                at: Point(column: rect.endColumn - trailing, row: rect.row), style: theme[.dim],
                maxWidth: trailing)
            if model.focus == .sidebar, let item = line.item, item == model.sidebarCursor {
                select(rect, in: .sidebar)
            }
        }
    }

    mutating func drawEvents(_ inner: Rect) {
        let lines = model.feedWindow(rows: inner.rows)
        if lines.isEmpty {
            surface.put(
                "Nothing has happened since the store was opened.", in: inner,
                style: theme[.dim], alignment: .leading)
            return
        }
        let selected = model.feed.lines.count - 1 - model.feed.cursor
        for (row, index) in lines.indices.enumerated() {
            let line = lines[index]
            let rect = Rect(
                column: inner.column, row: inner.row + row, columns: inner.columns, rows: 1)
            var parts: [(String, Role)] = [
                (TimeText.time(.init(line.date), offset: model.utcOffset) + " ", .timestamp)
            ]
            if let device = line.device {
                let place = model.status.devices.firstIndex { $0.id == device }
                let name = place.map { model.status.devices[$0].name } ?? ""
                let text = name.isEmpty ? device.name : name
                parts.append((text + " ", place.map { .device(at: $0) } ?? .device))
            }
            if line.isProblem { parts.append(("! ", .problem)) }
            parts.append((line.text, line.isProblem ? .problem : .plain))
            if line.count > 1 { parts.append((" (\(line.count) times)", .dim)) }
            put(parts, at: rect.origin, maxWidth: rect.columns)
            if model.focus == .events, index == selected { select(rect, in: .events) }
        }
    }
}
