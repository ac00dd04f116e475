import TidelineCore

/// What was written from this screen, oldest first, and how far it was taken back.
struct Journal: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        var source: SourceID
        var pane: PaneID
        var applied: AppliedEdit
        var direction: Review.Direction
    }

    private(set) var entries: [Entry] = []
    /// What undo takes back next is last.
    private(set) var undoable: [Entry] = []
    /// What redo writes again next is last.
    private(set) var redoable: [Entry] = []

    mutating func record(_ entry: Entry) {
        entries.append(entry)
        switch entry.direction {
        case .edit:
            undoable.append(entry)
            redoable.removeAll()
        case .undo:
            _ = undoable.popLast()
            redoable.append(entry)
        case .redo:
            _ = redoable.popLast()
            undoable.append(entry)
        }
    }

    /// Forgets what was taken back before it was written.
    mutating func removePending() {
        entries.removeAll(where: \.applied.isPending)
        undoable.removeAll(where: \.applied.isPending)
        redoable.removeAll(where: \.applied.isPending)
    }

    /// Notes that what waited to be written is written.
    mutating func notePendingWritten() {
        for index in entries.indices { entries[index].applied.isPending = false }
        for index in undoable.indices { undoable[index].applied.isPending = false }
        for index in redoable.indices { redoable[index].applied.isPending = false }
    }
}
