import Foundation
import Replication
import TidelineCore

/// What happened lately, one line an event, newest last.
struct Feed: Hashable, Sendable {
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

    static let limit = 1_000

    private(set) var lines: [Line] = []
    /// The selected line, counted from the newest; `0` follows.
    var cursor = 0
    var top = 0

    mutating func add(_ event: SessionEvent) {
        guard let line = Self.line(for: event) else { return }
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

    private static func line(for event: SessionEvent) -> Line? {
        var line = Line(
            date: event.date, device: event.device, text: event.summary, isProblem: false)
        switch event.kind {
        case .status, .devices, .returned: if event.summary.isEmpty { return nil }
        case .loaded: if line.text.isEmpty { line.text = "loaded" }
        case .changed(let pane, let rows, let isOwn):
            if line.text.isEmpty { line.text = "\(isOwn ? "wrote" : "sent") \(rows.count)" }
            if rows.count == 1, let row = rows.keys.first {
                line.link = .init(pane: pane, row: row)
            }
        case .conflict(let pane, let row):
            if line.text.isEmpty { line.text = "conflict in \(row.name)" }
            line.isProblem = true
            line.link = .init(pane: pane, row: row)
        case .resolved(_, let row): if line.text.isEmpty { line.text = "resolved \(row.name)" }
        case .device(let state, let problem):
            if line.text.isEmpty { line.text = problem.map { "\(state): \($0)" } ?? state }
            line.isProblem = problem != nil
        case .blob(let path): if line.text.isEmpty { line.text = "blob \(path)" }
        case .deleted:
            if line.text.isEmpty { line.text = "the store was moved or deleted" }
            line.isProblem = true
        }
        return line
    }
}
