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
