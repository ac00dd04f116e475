import Foundation
import TidelineCore

/// The change journal of the store, oldest first, including earlier runs, with the state of undo
/// and redo.
struct Journal: Hashable, Sendable {
    struct Entry: Hashable, Sendable, Identifiable {
        /// The pane of the change, as named in the journal.
        var pane: String
        var applied: AppliedEdit
        var direction: Review.Direction
        /// The entry that this one undoes or redoes.
        var subject: UUID?
        /// The reason why it can't be undone, if known.
        var reason: String?

        var id: UUID { applied.id }
    }

    private(set) var entries: [Entry] = []
    /// The entries that can be undone; the next one is last.
    private(set) var undoable: [Entry] = []
    /// The entries that can be redone; the next one is last.
    private(set) var redoable: [Entry] = []

    mutating func record(_ entry: Entry) {
        guard !entries.contains(where: { $0.id == entry.id }) else { return }
        entries.append(entry)
        switch entry.direction {
        case .edit:
            undoable.append(entry)
            redoable.removeAll()
        case .undo:
            undoable.removeAll { $0.id == entry.subject }
            redoable.append(entry)
        case .redo:
            redoable.removeAll { $0.id == entry.subject }
            undoable.append(entry)
        }
    }

    /// Merges the entries of the journal file. Known entries are kept.
    mutating func read(_ kept: [JournalEntry]) {
        let known = entries
        let rest = undoable + redoable
        self = Journal()
        let withdrawn = Set(kept.filter { $0.direction == .withdrawn }.compactMap(\.subject))
        var all = kept.filter { !withdrawn.contains($0.id) }.compactMap { kept -> Entry? in
            known.first { $0.id == kept.id } ?? Entry(kept)
        }
        all += known.filter { entry in !all.contains { $0.id == entry.id } }
        for entry in all.sorted(by: { $0.applied.date < $1.applied.date }) { record(entry) }
        // Changes made by other processes in the meantime don't end redo here.
        for entry in rest where entry.direction == .undo {
            let isDone = entries.contains { $0.subject == entry.id }
            if !isDone, !redoable.contains(where: { $0.id == entry.id }) { redoable.append(entry) }
        }
    }

    /// Returns the summary of the entry that another one undoes; `nil` if it isn't here.
    func summary(ofSubject subject: UUID?) -> String? {
        entries.first { $0.id == subject }?.applied.summary
    }

    /// Whether an entry has been undone.
    func isUndone(_ entry: Entry) -> Bool { entries.contains { $0.subject == entry.id } }

    /// Removes unsaved entries after they were discarded.
    ///
    /// - Returns: The removed entries.
    mutating func removePending() -> [UUID] {
        let pending = entries.filter(\.applied.isPending).map(\.id)
        entries.removeAll(where: \.applied.isPending)
        undoable.removeAll(where: \.applied.isPending)
        redoable.removeAll(where: \.applied.isPending)
        return pending
    }

    /// Marks all unsaved entries as saved.
    mutating func notePendingWritten() {
        for index in entries.indices { entries[index].applied.isPending = false }
        for index in undoable.indices { undoable[index].applied.isPending = false }
        for index in redoable.indices { redoable[index].applied.isPending = false }
    }
}

extension Journal.Entry {
    /// Creates an entry from the journal file.
    ///
    /// - Returns: `nil` if the entry isn't an edit.
    init?(_ kept: JournalEntry) {
        let direction: Review.Direction
        switch kept.direction {
        case .edit: direction = .edit
        case .undo: direction = .undo
        case .redo: direction = .redo
        case .withdrawn: return nil
        }
        self.init(
            pane: kept.pane, applied: kept.applied, direction: direction,
            subject: kept.subject, reason: kept.reason)
    }
}

extension Review.Direction {
    /// The direction as stored in the journal file.
    var kept: JournalEntry.Direction {
        switch self {
        case .edit: .edit
        case .undo: .undo
        case .redo: .redo
        }
    }
}
