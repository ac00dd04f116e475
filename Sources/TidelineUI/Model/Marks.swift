import Replication
import TidelineCore

/// The marks next to recently changed rows, and how they fade.
struct Marks: Hashable, Sendable {
    /// The stages of a fading mark.
    enum Stage: Hashable, Sendable { case flash, fresh, fading }

    struct Mark: Hashable, Sendable {
        var kind: RowMark
        var since: Timestamp
    }

    /// The maximum number of marks per pane. Older changes of a burst aren't marked.
    static let limit = 4_096
    private static let flash: Int64 = 1_500_000
    private static let fresh: Int64 = 12_000_000
    private static let end: Int64 = 60_000_000

    private var panes: [PaneID: [RowID: Mark]] = [:]

    mutating func add(_ rows: [RowID: RowMark], in pane: PaneID, at now: Timestamp) {
        var marks = panes[pane] ?? [:]
        for (row, kind) in rows {
            if marks.count >= Self.limit, marks[row] == nil { break }
            // A new row keeps its mark if it changes again soon.
            let isStillNew = kind == .changed && marks[row]?.kind == .new
            marks[row] = Mark(kind: isStillNew ? .new : kind, since: now)
        }
        panes[pane] = marks.isEmpty ? nil : marks
    }

    func mark(of row: RowID, in pane: PaneID, at now: Timestamp) -> (RowMark, Stage)? {
        guard let mark = panes[pane]?[row] else { return nil }
        let age = Self.age(of: mark, at: now)
        if age < Self.flash { return (mark.kind, .flash) }
        if age < Self.fresh { return (mark.kind, .fresh) }
        return age < Self.end ? (mark.kind, .fading) : nil
    }

    mutating func fade(at now: Timestamp) {
        for (pane, marks) in panes {
            let left = marks.filter { Self.age(of: $0.value, at: now) < Self.end }
            panes[pane] = left.isEmpty ? nil : left
        }
    }

    /// Returns the microseconds until a mark changes its look; `nil` if there are no marks.
    func nextChange(at now: Timestamp) -> Int64? {
        var next: Int64?
        for marks in panes.values {
            for mark in marks.values {
                let age = Self.age(of: mark, at: now)
                let step = age < Self.flash ? Self.flash : age < Self.fresh ? Self.fresh : Self.end
                next = min(next ?? .max, max(0, step - age))
            }
        }
        return next
    }

    private static func age(of mark: Mark, at now: Timestamp) -> Int64 {
        max(0, now.microseconds(since: mark.since))
    }
}
