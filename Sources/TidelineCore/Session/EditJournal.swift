public import Foundation
import Replication

/// What this person wrote into one store, whatever program they used and however often it was started:
/// a file in the user's state folder, a line an edit.
///
/// Several programs append to it at once: a lock beside it orders them. Of a file that grows beyond a
/// mebibyte the oldest lines go. A line that was cut (the disk was full, the machine went down) is
/// passed over. It holds values, so nobody else may read it.
public struct EditJournal: Sendable {
    private let notes: StoreNotes

    /// More bytes than this the file does not keep.
    static let limit = StoreNotes.limit
    /// An entry of more bytes is kept without what takes it back.
    static let entryLimit = 128 << 10

    /// - Parameters:
    ///   - folder: The folder of journals; made by the first entry.
    ///   - store: The path of the store.
    init(in folder: URL, of store: String) { notes = StoreNotes(in: folder, of: store) }

    /// Where it is, or would be.
    public var path: String { notes.path }

    /// Appends an entry. When this returns it is on disk.
    ///
    /// - Throws: `ReplicationError`; the entries before stay as they are.
    public func append(_ entry: JournalEntry) throws {
        var entry = entry
        entry.store = notes.store
        var line = try StoreNotes.line(entry)
        if line.count > Self.entryLimit {
            entry.undo = []
            entry.reason = "what it replaced is too long to be kept in the journal"
            line = try StoreNotes.line(entry)
        }
        try notes.append(line)
    }

    /// All entries, oldest first; those that cannot be read are left out.
    ///
    /// - Throws: `ReplicationError` for a file that cannot be read at all.
    public func entries() throws -> [JournalEntry] {
        try notes.values(of: JournalEntry.self).filter { $0.store == notes.store }
    }
}

/// One edit in the journal.
public struct JournalEntry: Hashable, Sendable, Codable, Identifiable {
    public enum Direction: String, Hashable, Sendable, Codable {
        case edit, undo, redo
        /// The edit `subject` was taken back before it was ever written.
        case withdrawn
    }

    public var id: UUID
    public var date: Date
    public var direction: Direction
    /// The pane that it was written in.
    public var pane: String
    public var summary: String
    /// Of what takes an edit back, or writes it again: that edit.
    public var subject: UUID?
    /// What takes it back, in the order to do it; empty when it cannot be.
    public var undo: [WrittenEdit]
    /// Why it cannot be taken back.
    public var reason: String?
    fileprivate(set) var store = ""

    public init(
        _ applied: AppliedEdit, direction: Direction, pane: String, subject: UUID? = nil
    ) {
        id = applied.id
        date = applied.date
        self.direction = direction
        self.pane = pane
        summary = applied.summary
        self.subject = subject
        undo = applied.undo.compactMap { edit in
            if case .takeBack(let written) = edit { written } else { nil }
        }
        if undo.isEmpty || undo.count < applied.undo.count {
            undo = []
            reason = "nothing is recorded that takes it back"
        }
    }

    /// An entry of the journal's file; one that an earlier version of the program noted can be
    /// shown, and not taken back.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(UUID.self, forKey: .id)
        date = try values.decode(Date.self, forKey: .date)
        direction = try values.decode(Direction.self, forKey: .direction)
        pane = try values.decode(String.self, forKey: .pane)
        summary = try values.decode(String.self, forKey: .summary)
        subject = try values.decodeIfPresent(UUID.self, forKey: .subject)
        reason = try values.decodeIfPresent(String.self, forKey: .reason)
        store = try values.decode(String.self, forKey: .store)
        do {
            undo = try values.decode([WrittenEdit].self, forKey: .undo)
        } catch {
            undo = []
            reason = "it was noted by another version of this program"
        }
    }

    /// That an edit was taken back before it was written.
    public init(withdrawing subject: UUID, date: Date) {
        self.init(
            AppliedEdit(id: UUID(), summary: "", date: date, rows: [], undo: []),
            direction: .withdrawn, pane: "", subject: subject)
    }

    /// The entry as an edit that was applied.
    public var applied: AppliedEdit {
        AppliedEdit(
            id: id, summary: summary, date: date, rows: [], undo: undo.map { .takeBack($0) })
    }
}
