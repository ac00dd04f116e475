import Foundation
import Replication
import TidelineCore

/// What happened lately, one line an event, newest last.
struct EventsRegion: RegionModule {
    struct Line: Hashable, Sendable {
        var date: Date
        var device: DeviceID?
        var text: String
        var isProblem: Bool
        /// How often it happened, one time right after the other.
        var count = 1
        /// The row that the line leads to, where the event was about one.
        var link: Detail.Link?
    }

    private static let limit = 1_000
    /// What is held tells which rows to mark; the rows themselves are read anew in any case.
    private static let heldLimit = 2_000

    private(set) var lines: [Line] = []
    /// The selected line, counted from the newest; `0` follows.
    var cursor = 0
    var isPaused = false
    /// Events that wait until the pause is over; of very many, the newest.
    private(set) var held: [SessionEvent] = []
    private(set) var heldCount = 0

    private var selectedLine: Line? {
        let index = lines.count - 1 - cursor
        return lines.indices.contains(index) ? lines[index] : nil
    }

    mutating func add(_ event: SessionEvent) {
        guard let line = Line(event) else { return }
        if let last = lines.last, last.device == line.device, last.text == line.text,
            line.date.timeIntervalSince(last.date) < 2
        {
            lines[lines.count - 1].count += 1
            lines[lines.count - 1].date = line.date
            return
        }
        lines.append(line)
        if cursor > 0 { cursor += 1 }
        if lines.count > Self.limit + Self.limit / 4 {
            lines.removeFirst(lines.count - Self.limit)
        }
        cursor = min(cursor, max(0, lines.count - 1))
    }

    mutating func hold(_ event: SessionEvent) {
        heldCount += 1
        held.append(event)
        if held.count > 2 * Self.heldLimit { held.removeFirst(held.count - Self.heldLimit) }
    }

    /// Ends the pause.
    ///
    /// - Returns: The events that were held, and how many there were.
    mutating func release() -> ([SessionEvent], count: Int) {
        defer { (isPaused, held, heldCount) = (false, [], 0) }
        return (held, heldCount)
    }

    /// The lines that are visible in this many rows, the selected one among them.
    private func window(rows: Int) -> ArraySlice<Line> {
        let end = max(0, min(lines.count, lines.count - cursor + rows / 2))
        let start = max(0, end - rows)
        return lines[start..<min(lines.count, start + rows)]
    }

    static let region = Region.events

    static func move(by delta: Int, in model: inout Model) {
        // The cursor counts upwards.
        model.events.cursor = model.events.cursor.moved(
            by: -max(delta, -.max), of: model.events.lines.count)
    }

    static func open(in model: inout Model) -> [Effect] {
        model.follow(model.events.selectedLine?.link, orSay: "this event has no row to go to")
    }

    static func click(at point: Point, in inner: Rect, of model: inout Model) -> Bool {
        let lines = model.events.window(rows: inner.rows)
        let index = lines.startIndex + point.row
        guard lines.indices.contains(index) else { return false }
        model.events.cursor = model.events.lines.count - 1 - index
        return lines[index].link != nil
    }

    static func alert(in model: Model) -> Alert? {
        model.events.selectedLine?.device.map { .device($0) }
    }

    static func title(in model: Model) -> String {
        let key = model.tabKey(model.panes.count + 1)
        let state =
            if model.events.isPaused {
                " (paused, \(model.events.heldCount) held)"
            } else {
                model.browsing.isFollowing ? " (following)" : ""
            }
        return (key.isEmpty ? "" : key + " ") + "Events\(state)"
    }

    static func place(in model: Model) -> String {
        let count = model.events.lines.count
        return place(count - model.events.cursor, of: count)
    }

    static func draw(in inner: Rect, on screen: inout Screen) {
        let (model, theme) = (screen.model, screen.theme)
        let lines = model.events.window(rows: inner.rows)
        if lines.isEmpty {
            screen.surface.put(
                "Nothing has happened since the store was opened.", in: inner,
                style: theme[.dim], alignment: .leading)
            return
        }
        let selected = model.events.lines.count - 1 - model.events.cursor
        for (row, index) in lines.indices.enumerated() {
            let line = lines[index]
            let rect = inner.line(row)
            var parts: [(String, Role)] = [
                (TimeText.time(.init(line.date), offset: model.utcOffset) + " ", .timestamp)
            ]
            if let device = line.device {
                let author = Author.device(device)
                parts.append((model.name(of: author) + " ", model.role(of: author)))
            }
            if line.isProblem { parts.append(("! ", .problem)) }
            parts.append((line.text, line.isProblem ? .problem : .plain))
            if line.count > 1 { parts.append((" (\(line.count) times)", .dim)) }
            screen.put(parts, at: rect.origin, maxWidth: rect.columns)
            if model.focus == .events, index == selected { screen.select(rect, in: .events) }
        }
    }
}

extension EventsRegion.Line {
    /// - Returns: `nil` for an event that is no news.
    fileprivate init?(_ event: SessionEvent) {
        self.init(date: event.date, device: event.device, text: event.summary, isProblem: false)
        var other = ""
        switch event.kind {
        case .status, .devices, .returned: if text.isEmpty { return nil }
        case .loaded: other = "loaded"
        case .changed(let pane, let rows, let isOwn):
            other = "\(isOwn ? "wrote" : "sent") \(rows.count)"
            if rows.count == 1, let row = rows.keys.first { link = .init(pane: pane, row: row) }
        case .conflict(let pane, let row):
            other = "conflict in \(row.name)"
            isProblem = true
            link = .init(pane: pane, row: row)
        case .resolved(_, let row): other = "resolved \(row.name)"
        case .device(let state, let problem):
            other = problem.map { "\(state): \($0)" } ?? state
            isProblem = problem != nil
        case .blob(let path): other = "blob \(path)"
        case .deleted:
            other = "the store was moved or deleted"
            isProblem = true
        }
        if text.isEmpty { text = other }
    }
}
