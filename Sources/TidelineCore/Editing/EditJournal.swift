public import Foundation
import Replication

/// The journal of the user's edits to one store, from all programs and runs. It is a file in the
/// user's state folder with one line per edit.
///
/// Several programs can append at the same time; a lock file serializes them. When the file grows
/// beyond 1 MiB, the oldest lines are dropped. Large undo data is in separate files. Truncated
/// lines (after a full disk or a power failure) are skipped. The journal contains values, so only
/// its owner can read it.
///
/// Only the device that wrote an edit can undo it, so a journal can be limited to one device.
public struct EditJournal: Sendable {
    private let file: StoreStateFile
    private let device: String?
    private var files: UndoFiles { UndoFiles(of: file.path) }

    /// The maximum size of an entry. The undo data of larger entries is in separate files.
    static let entryLimit = 128 << 10

    /// Creates a reference to a journal in `folder`. The first entry creates both.
    ///
    /// - Parameter device: The device whose edits the journal contains; `nil` for all devices.
    init(in folder: URL, of store: String, by device: DeviceID? = nil) {
        file = StoreStateFile(in: folder, of: store)
        self.device = device?.name
    }

    /// The path of the file, whether or not it exists.
    public var path: String { file.path }

    /// Appends an entry. It is on disk when this returns.
    ///
    /// - Returns: Whether the entry's undo data was stored, if it has any. Undo data of more than
    ///   16 MiB isn't stored.
    /// - Throws: `ReplicationError`; the earlier entries stay unchanged.
    @discardableResult
    public func append(_ entry: JournalEntry) throws -> Bool {
        var entry = entry
        entry.device = device
        var line = try file.line(entry)
        var isStored = true
        if line.count > Self.entryLimit {
            // Without the undo data, still write the entry, so that the edit is listed.
            entry.undo = (try? files.store(entry.undo, of: entry.id)) ?? []
            line = try file.line(entry)
            isStored = !entry.undo.isEmpty && line.count <= Self.entryLimit
            if !isStored {
                entry.undo = []
                entry.reason = "the previous value is too large for the journal"
                line = try file.line(entry)
            }
        }
        try file.append(line)
        return isStored
    }

    /// Appends a written edit. If appending fails, the edit stays written.
    ///
    /// - Parameters:
    ///   - pane: The name of the pane in which the edit can be undone.
    ///   - subject: The entry that the edit undoes or redoes.
    /// - Returns: The edit, with the reason if the journal doesn't have its undo data.
    public func record(
        _ edit: AppliedEdit, pane: String, _ direction: UndoHistory.Direction = .edit,
        subject: UUID? = nil
    ) -> AppliedEdit {
        var edit = edit
        do {
            edit.isRecorded = try append(
                JournalEntry(edit, direction: direction.kept, pane: pane, subject: subject))
        } catch {
            edit.isRecorded = false
            edit.journalProblem = (error as? any ExplainedError)?.reason ?? "it can't be written"
        }
        return edit
    }

    /// Returns all entries, oldest first. Unreadable entries are left out.
    ///
    /// - Throws: `ReplicationError` if the file can't be read.
    public func entries() throws -> [JournalEntry] {
        let files = files
        return try file.values(of: JournalEntry.self).filter { entry in
            // Entries of earlier versions of the program have no device.
            device == nil || entry.device == nil || entry.device == device
        }.map {
            var entry = $0
            entry.undo = entry.undo.map(files.located)
            if !entry.undo.allSatisfy(\.isStored) {
                entry.undo = []
                entry.reason = "its undo data is no longer stored"
            }
            return entry
        }
    }
}

/// One edit in the journal.
public struct JournalEntry: Hashable, Sendable, Codable, Identifiable, StoreStateValue {
    /// The relation of an entry to an edit.
    public enum Direction: String, Hashable, Sendable, Codable {
        case edit, undo, redo
        /// The entry withdraws an edit, its ``subject``, that was not on disk yet.
        case withdrawn
    }

    /// The identifier of the entry.
    public var id: UUID
    /// The time of the write, by the wall clock.
    public var date: Date
    /// Whether the entry is an edit, or undoes, redoes or withdraws one.
    public var direction: Direction
    /// The pane of the edit.
    public var pane: String
    /// A one-line summary.
    public var summary: String
    /// The first changes of the write, with the start of long values.
    public var changes: [EditPreview.Change]
    /// The number of all changes of the write.
    public var changeCount: Int
    /// The summaries of the parts that undoing doesn't restore.
    public var lasting: [String]
    /// The summary of the parts that undoing restores; `nil` if it restores all.
    public var restored: String?
    /// The edit that this entry undoes, redoes or withdraws.
    public var subject: UUID?
    /// The edits that undo this edit, in order; empty if this edit can't be undone.
    public var undo: [EditRecord]
    /// The reason why the edit can't be undone.
    public var reason: String?
    var store = ""
    /// The device that wrote the edit.
    fileprivate(set) var device: String?

    /// The maximum number of Unicode scalars of a summary, and of a value in ``changes``.
    static let longestValue = 1_000

    /// Creates an entry.
    public init(
        _ applied: AppliedEdit, direction: Direction, pane: String, subject: UUID? = nil
    ) {
        id = applied.id
        date = applied.date
        self.direction = direction
        self.pane = pane
        // Summaries contain names, which can be longer than the limit of an entry.
        summary = Self.start(of: applied.summary)
        changes = applied.changes.map { $0.shortened(to: Self.longestValue) }
        changeCount = applied.changeCount
        (lasting, restored) = (
            applied.lasting.map(Self.start), applied.restored.map(Self.start)
        )
        self.subject = subject
        undo = applied.undo.compactMap { edit in
            guard case .revert(var written) = edit else { return nil }
            written.lead = Self.start(of: written.lead)
            return written
        }
        if undo.isEmpty || undo.count < applied.undo.count {
            undo = []
            reason =
                applied.undo.isEmpty
                ? "the old content of a document or blob is not kept"
                : "its undo data was not recorded"
        } else if !applied.lasting.isEmpty {
            reason = "undoing doesn't restore: \(AppliedEdit.summary(applied.lasting))"
        }
    }

    private static func start(of text: String) -> String {
        text.shortened(to: longestValue) ?? text
    }

    /// Decodes an entry. Entries of earlier versions of the program can be shown, but not undone.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(UUID.self, forKey: .id)
        date = try values.decode(Date.self, forKey: .date)
        direction = try values.decode(Direction.self, forKey: .direction)
        pane = try values.decode(String.self, forKey: .pane)
        summary = try values.decode(String.self, forKey: .summary)
        changes =
            try values.decodeIfPresent([EditPreview.Change].self, forKey: .changes) ?? []
        changeCount =
            try values.decodeIfPresent(Int.self, forKey: .changeCount) ?? changes.count
        lasting = try values.decodeIfPresent([String].self, forKey: .lasting) ?? []
        restored = try values.decodeIfPresent(String.self, forKey: .restored)
        subject = try values.decodeIfPresent(UUID.self, forKey: .subject)
        reason = try values.decodeIfPresent(String.self, forKey: .reason)
        store = try values.decode(String.self, forKey: .store)
        device = try values.decodeIfPresent(String.self, forKey: .device)
        do {
            undo = try values.decode([EditRecord].self, forKey: .undo)
        } catch {
            undo = []
            reason = "another version of this program wrote this entry"
        }
    }

    /// Creates the entry for an edit that was withdrawn before it was written.
    public init(withdrawing subject: UUID, date: Date) {
        self.init(
            AppliedEdit(id: UUID(), summary: "", date: date, rows: [], undo: []),
            direction: .withdrawn, pane: "", subject: subject)
    }

    /// The entry as an applied edit.
    public var applied: AppliedEdit {
        var applied = AppliedEdit(
            id: id, summary: summary, date: date, rows: [], undo: undo.map { .revert($0) })
        applied.changes = changes
        applied.changeCount = changeCount
        (applied.lasting, applied.restored) = (lasting, restored)
        return applied
    }
}
