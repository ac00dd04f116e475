public import Foundation
public import TidelineCore

/// The information about a write that the journal records.
public struct JournalNote: Hashable, Sendable {
    /// The pane of the edit.
    public var pane: String
    /// Whether the write is an edit, or undoes or redoes an edit.
    public var direction: JournalEntry.Direction
    /// The entry that the write undoes or redoes.
    public var subject: UUID?
}
