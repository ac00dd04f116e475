import Foundation
import TidelineCore

/// What was written into this store, oldest first, here and in earlier runs, and how far it was taken
/// back.
struct Journal: Hashable, Sendable {
    struct Entry: Hashable, Sendable, Identifiable {
        /// The pane that it was written in, as the journal names it.
        var pane: String
        var applied: AppliedEdit
        var direction: Review.Direction
        /// The entry that this one takes back, or writes again.
        var subject: UUID?
        /// Why it cannot be taken back, where that is known.
        var reason: String?

        var id: UUID { applied.id }
    }

    private(set) var entries: [Entry] = []
    /// What undo takes back next is last.
    private(set) var undoable: [Entry] = []
    /// What redo writes again next is last.
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

    /// Takes in what the journal's file says. Entries that are known stay as they are.
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
        // What others wrote meanwhile does not end what can be written again here.
        for entry in rest where entry.direction == .undo {
            let isDone = entries.contains { $0.subject == entry.id }
            if !isDone, !redoable.contains(where: { $0.id == entry.id }) { redoable.append(entry) }
        }
    }

    /// What was written by the entry that another takes back; `nil` where it is not here.
    func summary(ofSubject subject: UUID?) -> String? {
        entries.first { $0.id == subject }?.applied.summary
    }

    /// Whether an entry was taken back since.
    func isTakenBack(_ entry: Entry) -> Bool { entries.contains { $0.subject == entry.id } }

    /// Forgets what was taken back before it was written.
    ///
    /// - Returns: What that was.
    mutating func removePending() -> [UUID] {
        let pending = entries.filter(\.applied.isPending).map(\.id)
        entries.removeAll(where: \.applied.isPending)
        undoable.removeAll(where: \.applied.isPending)
        redoable.removeAll(where: \.applied.isPending)
        return pending
    }

    /// Notes that what waited to be written is written.
    mutating func notePendingWritten() {
        for index in entries.indices { entries[index].applied.isPending = false }
        for index in undoable.indices { undoable[index].applied.isPending = false }
        for index in redoable.indices { redoable[index].applied.isPending = false }
    }
}

extension Journal.Entry {
    /// - Returns: `nil` for what is no edit.
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
    /// As the journal's file has it.
    var kept: JournalEntry.Direction {
        switch self {
        case .edit: .edit
        case .undo: .undo
        case .redo: .redo
        }
    }
}
