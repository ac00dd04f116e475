public import Foundation

/// The edits of a store in writing order, also of earlier runs, with their undo and redo state.
///
/// ``EditJournal`` is the file that stores these edits.
public struct UndoHistory: Hashable, Sendable {
    /// The relation of a write to an edit.
    public enum Direction: String, Hashable, Sendable {
        case edit, undo, redo

        /// The start of a line about a write in this direction.
        package var title: String {
            switch self {
            case .edit: ""
            case .undo: "undo: "
            case .redo: "redo: "
            }
        }
    }

    /// One write.
    public struct Entry: Hashable, Sendable, Identifiable {
        /// The pane of the change, as named in the journal.
        public var pane: String
        /// The write, with the edits that undo it.
        public var applied: AppliedEdit
        /// Whether the write is an edit, or undoes or redoes one.
        public var direction: Direction
        /// The entry that this entry undoes or redoes.
        public var subject: UUID?
        /// The reason why the write can't be undone, if known.
        public var reason: String?

        /// The identifier in the journal.
        public var id: UUID { applied.id }

        /// Creates an entry.
        public init(
            pane: String, applied: AppliedEdit, direction: Direction, subject: UUID? = nil,
            reason: String? = nil
        ) {
            self.pane = pane
            self.applied = applied
            self.direction = direction
            self.subject = subject
            self.reason = reason
        }
    }

    /// All writes, oldest first.
    public private(set) var entries: [Entry] = []
    /// The entries that can be undone. The last entry is undone next.
    public private(set) var undoable: [Entry] = []
    /// The entries that can be redone. The last entry is redone next.
    public private(set) var redoable: [Entry] = []
    /// The entry to undo next. If no entry can be undone, the last entry that can't be undone.
    public var nextToUndo: Entry? {
        undoable.last ?? entries.last { $0.applied.undo.isEmpty && !isUndone($0) }
    }

    /// Creates an empty history.
    public init() {}

    /// Adds a write. An entry that the history already contains is ignored.
    public mutating func record(_ entry: Entry) {
        guard !entries.contains(where: { $0.id == entry.id }) else { return }
        entries.append(entry)
        // An edit that can't be undone doesn't prevent undoing earlier edits.
        let isFinal = entry.applied.undo.isEmpty && !entry.applied.isPending
        switch entry.direction {
        case .edit:
            if !isFinal { undoable.append(entry) }
            redoable.removeAll()
        case .undo:
            undoable.removeAll { $0.id == entry.subject }
            if !isFinal { redoable.append(entry) }
        case .redo:
            redoable.removeAll { $0.id == entry.subject }
            if !isFinal { undoable.append(entry) }
        }
    }

    /// Merges the entries of the journal file. Known entries are kept.
    ///
    /// Keeps the order of the file, because a wrong clock can put the dates in another order.
    ///
    /// - Parameter kept: The entries of the file, in the order of writing.
    public mutating func read(_ kept: [JournalEntry]) {
        let known = entries
        let rest = undoable + redoable
        self = UndoHistory()
        let withdrawn = Set(kept.filter { $0.direction == .withdrawn }.compactMap(\.subject))
        let stored = kept.filter { !withdrawn.contains($0.id) }.compactMap { kept -> Entry? in
            known.first { $0.id == kept.id } ?? Entry(kept)
        }
        // An entry that isn't in the file stays before the stored entry that followed it.
        let storedIDs = Set(stored.map(\.id))
        var unstored: [Entry] = []
        var unstoredBefore: [UUID: [Entry]] = [:]
        for entry in known {
            if storedIDs.contains(entry.id) {
                unstoredBefore[entry.id] = unstored
                unstored = []
            } else {
                unstored.append(entry)
            }
        }
        for entry in stored {
            for each in unstoredBefore[entry.id] ?? [] { record(each) }
            record(entry)
        }
        for entry in unstored { record(entry) }
        // If other processes made edits between these entries, this process can still redo its
        // undone edits.
        for entry in rest where entry.direction == .undo {
            let isDone = entries.contains { $0.subject == entry.id }
            if !isDone, !redoable.contains(where: { $0.id == entry.id }) { redoable.append(entry) }
        }
    }

    /// Returns the summary of the entry that another entry undoes, with the parts that are undone;
    /// `nil` if the journal doesn't contain the entry.
    public func summary(ofSubject subject: UUID?) -> String? {
        applied(ofSubject: subject).map { $0.restored ?? $0.summary }
    }

    /// Returns the write of the entry that another entry undoes; `nil` if the journal doesn't
    /// contain the entry.
    public func applied(ofSubject subject: UUID?) -> AppliedEdit? {
        entries.first { $0.id == subject }?.applied
    }

    /// Whether an entry has been undone.
    public func isUndone(_ entry: Entry) -> Bool { entries.contains { $0.subject == entry.id } }

    /// Removes the entries that aren't saved, after they were discarded.
    ///
    /// - Returns: The identifiers of the removed entries.
    public mutating func removePending() -> [UUID] {
        let pending = entries.filter(\.applied.isPending).map(\.id)
        entries.removeAll(where: \.applied.isPending)
        undoable.removeAll(where: \.applied.isPending)
        redoable.removeAll(where: \.applied.isPending)
        return pending
    }

    /// Marks all unsaved entries as saved.
    ///
    /// - Returns: The edits of these entries, oldest first.
    @discardableResult
    public mutating func notePendingWritten() -> [AppliedEdit] {
        let pending = entries.map(\.applied).filter(\.isPending)
        for index in entries.indices { entries[index].applied.isPending = false }
        for index in undoable.indices { undoable[index].applied.isPending = false }
        for index in redoable.indices { redoable[index].applied.isPending = false }
        return pending
    }
}

extension UndoHistory.Entry {
    /// Creates an entry from the journal file.
    ///
    /// - Returns: `nil` if the entry isn't an edit.
    fileprivate init?(_ kept: JournalEntry) {
        guard let direction = UndoHistory.Direction(rawValue: kept.direction.rawValue) else {
            return nil
        }
        self.init(
            pane: kept.pane, applied: kept.applied, direction: direction,
            subject: kept.subject, reason: kept.reason)
    }
}

extension UndoHistory.Direction {
    /// The direction as stored in the journal file.
    public var kept: JournalEntry.Direction {
        switch self {
        case .edit: .edit
        case .undo: .undo
        case .redo: .redo
        }
    }
}
