public import Foundation
public import TidelineCore

/// The information about a write that the journal records.
public struct JournalNote: Hashable, Sendable {
    public var pane: String
    public var direction: JournalEntry.Direction
    /// The entry that the write undoes or redoes.
    public var subject: UUID?

    public init(pane: String, direction: JournalEntry.Direction, subject: UUID? = nil) {
        self.pane = pane
        self.direction = direction
        self.subject = subject
    }
}

extension AppliedEdit {
    /// Combines consecutive edits into one; `nil` if there are none.
    init?(_ parts: [AppliedEdit]) {
        guard let first = parts.first, let last = parts.last else { return nil }
        // If one of them can't be undone, none can.
        let canBeUndone = parts.allSatisfy { !$0.undo.isEmpty }
        self.init(
            id: first.id, summary: Self.summary(of: parts), date: last.date,
            rows: parts.flatMap(\.rows),
            undo: canBeUndone ? parts.reversed().flatMap(\.undo) : [],
            isPending: parts.contains(where: \.isPending))
    }

    /// The summary of the first edit, and the number of others.
    static func summary(of parts: [AppliedEdit]) -> String {
        guard let first = parts.first else { return "" }
        return parts.count == 1 ? first.summary : "\(first.summary), and \(parts.count - 1) more"
    }
}
