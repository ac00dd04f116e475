public import Foundation
public import TidelineCore

/// How the journal names a write.
public struct JournalNote: Hashable, Sendable {
    public var pane: String
    public var direction: JournalEntry.Direction
    /// The entry that the write takes back, or writes again.
    public var subject: UUID?

    public init(pane: String, direction: JournalEntry.Direction, subject: UUID? = nil) {
        self.pane = pane
        self.direction = direction
        self.subject = subject
    }
}

extension AppliedEdit {
    /// Edits that were written one after the other, as one; `nil` for none.
    init?(_ parts: [AppliedEdit]) {
        guard let first = parts.first, let last = parts.last else { return nil }
        // One that cannot be taken back keeps the rest from being.
        let canBeTakenBack = parts.allSatisfy { !$0.undo.isEmpty }
        self.init(
            id: first.id, summary: Self.summary(of: parts), date: last.date,
            rows: parts.flatMap(\.rows),
            undo: canBeTakenBack ? parts.reversed().flatMap(\.undo) : [],
            isPending: parts.contains(where: \.isPending))
    }

    /// Edits in one line: the first, and how many there are besides.
    static func summary(of parts: [AppliedEdit]) -> String {
        guard let first = parts.first else { return "" }
        return parts.count == 1 ? first.summary : "\(first.summary), and \(parts.count - 1) more"
    }
}
