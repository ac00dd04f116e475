public import Foundation
public import Replication

/// A value as typed by the user, with its type: `--as TYPE VALUE` on the command line.
public struct TypedText: Hashable, Sendable, Codable {
    /// The type that the text is parsed as.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        case string, integer, real, boolean, date, data, json
        /// Types that documents have, but property lists don't.
        case counter, timestamp, text, map, list, null
        /// A reference to a row of the same store, by identifier or name.
        case relationship

        /// The name on the screen, which is the same as in lists.
        public var title: String { self == .data ? "bytes" : rawValue }
    }

    /// The type.
    public var kind: Kind
    /// The value, as typed for its type.
    public var text: String

    /// Creates a typed value. The text isn't parsed until the value is written.
    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

/// The kinds of edits, for asking in advance whether an edit is possible.
public enum EditKind: Hashable, Sendable, CaseIterable {
    case set, add, duplicate, rename, remove, resolve, relate, restore, revert, count, run
}

/// A change requested by the user.
public enum Edit: Hashable, Sendable {
    /// Sets a new value for a row, or for one of its fields.
    case set(RowID, field: FieldPath?, TypedText)
    /// Adds a row. With `parent`, adds a field to that row. With `field`, adds a member or item to
    /// the structured value in this field.
    case add(name: String, parent: RowID?, field: FieldPath? = nil, TypedText)
    /// Renames a row, or a member inside its value.
    case rename(RowID, field: FieldPath? = nil, to: String)
    /// Deletes rows, or a part of a row.
    case remove([RowID], field: FieldPath?)
    /// Resolves a conflict with one side's value or with another value.
    case resolve(RowID, Resolution)
    /// Relates a row to another row.
    case relate(RowID, field: String, to: RowID, kind: String)
    /// Increments or decrements a counter. Concurrent increments add up.
    case count(RowID, by: Int64)
    /// Restores rows, or one property of them, to their state at an instant. Deletes rows that
    /// didn't exist then.
    case restore([RowID], field: FieldPath? = nil, at: Timestamp)
    /// Undoes an edit that this device wrote.
    case revert(EditRecord)
    /// Runs a command of the list.
    case run(ListCommand, argument: String)

    /// A way to resolve a conflict.
    public indirect enum Resolution: Hashable, Sendable {
        /// Takes this side's value.
        case take(RowConflict.SideID)
        /// Writes another value.
        case value(TypedText)
        /// Writes the merged value, with these fields (`ConflictDetail.fields`) taken from the
        /// given sides.
        case picks([FieldPath: RowConflict.SideID])
        /// Resolves each of these properties separately. Used if devices disagree about properties,
        /// not about the row as a whole (``RowConflict/part``).
        case properties([FieldPath: Resolution])
    }

    /// Whether the edit changes the store, not only the content of a list.
    public var writes: Bool {
        if case .run(let command, _) = self { command.writes } else { true }
    }

    /// The name of the data model whose edit this edit undoes; `nil` if it isn't an undo.
    package var undoneModel: String? {
        if case .revert(let written) = self { written.model } else { nil }
    }

    /// The kind of the edit.
    public var kind: EditKind {
        switch self {
        case .set: .set
        case .add: .add
        case .rename: .rename
        case .remove: .remove
        case .resolve: .resolve
        case .relate: .relate
        case .restore: .restore
        case .count: .count
        case .revert: .revert
        case .run: .run
        }
    }
}

/// An edit that was written, and the edits that undo it, in the order in which they apply.
public struct AppliedEdit: Hashable, Sendable {
    /// The identifier of the edit in the journal.
    public var id: UUID
    /// A one-line summary of the edit, or of the first of several edits.
    public var lead: String
    /// The number of further edits that this edit combines.
    public var others = 0
    /// A one-line summary of all edits.
    public var summary: String { Self.summary(lead, others: others) }
    /// The edits that were left out, because their rows had changed since the preview.
    public var skipped: [SkippedEdit] = []
    /// The time of the write, by the wall clock.
    public var date: Date
    /// The rows that were written, to be selected and marked.
    public var rows: [RowID]
    /// The edits that restore the previous state; empty if the edit can't be undone.
    public var undo: [Edit]
    /// The first changes that the edit made, as previewed, for the journal.
    public internal(set) var changes: [EditPreview.Change] = []
    /// The number of all changes that the edit made.
    public internal(set) var changeCount = 0
    /// The maximum number of ``changes``.
    static let mostChanges = 4
    /// The summaries of the combined edits, or of other changes, that ``undo`` doesn't undo.
    public var lasting: [String] = []
    /// The summary of the parts that ``undo`` restores; `nil` if it restores all parts.
    public var restored: String?
    /// Whether the edit isn't on disk yet. It is retried until it is saved or withdrawn; see
    /// ``StoreSession/withdraw()``.
    public var isPending: Bool
    /// Whether the edit is in the file, but the disk didn't confirm it.
    public var isUnconfirmed: Bool
    /// Whether the journal has the undo data; see ``EditJournal/append(_:)``.
    public var isRecorded = true
    /// The reason why the journal could not be written, if that failed.
    public internal(set) var journalProblem: String?

    /// Creates an applied edit.
    public init(
        id: UUID = UUID(), summary: String, date: Date, rows: [RowID], undo: [Edit],
        isPending: Bool = false, isUnconfirmed: Bool = false
    ) {
        self.id = id
        lead = summary
        self.date = date
        self.rows = rows
        self.undo = undo
        self.isPending = isPending
        self.isUnconfirmed = isUnconfirmed
    }
}

extension AppliedEdit {
    /// Combines consecutive edits into one; `nil` if there are none. Undoing the combined edit
    /// restores the parts that can be undone; ``lasting`` names the other parts.
    public init?(_ parts: [AppliedEdit]) {
        guard let first = parts.first, let last = parts.last else { return nil }
        self.init(
            id: first.id, summary: first.lead, date: last.date,
            rows: parts.flatMap(\.rows),
            undo: parts.reversed().flatMap(\.undo),
            isPending: parts.contains(where: \.isPending),
            isUnconfirmed: parts.contains(where: \.isUnconfirmed))
        others = Self.others(parts)
        changes = Array(parts.lazy.flatMap(\.changes).prefix(Self.mostChanges))
        changeCount = parts.reduce(0) { $0 + $1.changeCount }
        skipped = parts.flatMap(\.skipped)
        guard !undo.isEmpty else { return }
        lasting = parts.flatMap { $0.undo.isEmpty ? [$0.summary] : $0.lasting }
        let undone = parts.filter { !$0.undo.isEmpty }
        if undone.count < parts.count { restored = Self.summary(of: undone) }
    }

    /// The summary of undoing the edit: the parts that are restored, and those that aren't.
    package var undoneSummary: String {
        let rest = lasting.isEmpty ? "" : "; not undone: \(Self.summary(lasting))"
        return (restored ?? summary) + rest
    }

    func noting(_ made: [EditPreview.Change]) -> Self {
        var noted = self
        noted.changes = Array(made.prefix(Self.mostChanges))
        noted.changeCount = made.count
        return noted
    }

    /// Returns the edit with the changes of the previews that it wrote.
    func noting(_ previews: some Collection<EditPreview>) -> Self {
        noting(previews.flatMap(\.changes))
    }

    private static func others(_ parts: [AppliedEdit]) -> Int {
        max(0, parts.reduce(-1) { $0 + $1.others + 1 })
    }

    /// Returns the summary of the first edit, with the number of further edits.
    public static func summary(of parts: [AppliedEdit]) -> String {
        parts.first.map { summary($0.lead, others: others(parts)) } ?? ""
    }

    /// Returns the first of several summaries, with the number of further summaries.
    package static func summary(_ parts: [String]) -> String {
        parts.first.map { summary($0, others: parts.count - 1) } ?? ""
    }

    static func summary(_ lead: String, others: Int) -> String {
        others > 0 ? "\(lead), and \(Counted.grouped(others)) more" : lead
    }
}

extension EditError: MessageError {
    /// The general kind of failure. If another error prevented the edit, this is the kind of that
    /// error.
    public var category: ErrorCategory {
        if let cause { return cause.category }
        return switch code {
        case .notFound: .noSuchItem
        case .invalid, .unsupported, .unchanged: .invalidRequest
        case .readOnly: .noPermission
        case .unreadable: .badData
        case .unconfirmed: .unconfirmed
        default: .inputOutput
        }
    }
    /// The file that the edit could not be written to, if known.
    public var subject: String? { cause?.subject }
    /// The suggestion of the error that prevented the edit, if any.
    public var suggestion: Suggestion? { cause?.suggestion }
}

extension FilterError: MessageError {
    /// The kind `invalidRequest`, because the filter is invalid.
    public var category: ErrorCategory { .invalidRequest }
}

/// The reason why an edit failed. Nothing was written, except with code ``Code/unconfirmed``.
public struct EditError: Error, Hashable, Sendable {
    /// A stable code of the failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The source doesn't support the edit.
        public static let unsupported = Code("unsupported")
        /// The session is read-only.
        public static let readOnly = Code("readOnly")
        /// The text doesn't match the type, or the name isn't valid.
        public static let invalid = Code("invalid")
        /// The file to be edited can't be read.
        public static let unreadable = Code("unreadable")
        /// The edit changes nothing.
        public static let unchanged = Code("unchanged")
        /// The row doesn't exist.
        public static let notFound = Code("notFound")
        /// The edit can't be undone, because another device has built on it since then.
        public static let builtOn = Code("builtOn")
        /// Another process or device wrote the row after the preview was made.
        public static let moved = Code("moved")
        /// The edit couldn't be written to disk: no space, no permission.
        public static let notWritten = Code("notWritten")
        /// The edit is written, but the disk didn't confirm it.
        public static let unconfirmed = Code("unconfirmed")
    }

    /// The code.
    public let code: Code
    /// The reason, as a clause without a full stop.
    public let message: String
    /// The properties of the error that prevented the edit, if any.
    private let cause: Cause?

    private struct Cause: Hashable, Sendable {
        let category: ErrorCategory
        let subject: String?
        let suggestion: Suggestion?
    }

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        cause = nil
    }

    /// Creates an error from the error that prevented the edit, with its category, subject and
    /// suggestion.
    init(_ code: Code, because error: any ExplainedError) {
        self.code = code
        message = error.reason
        cause = Cause(
            category: error.category, subject: error.subject, suggestion: error.suggestion)
    }
}

extension EditError {
    /// The error for an edit that doesn't change the value and doesn't resolve a conflict.
    package static let sameValue = EditError(.unchanged, "nothing to write: the value is the same")
    /// The error for an edit in a session without a writing device.
    static let withoutDevice = EditError(.readOnly, Availability.withoutDevice)
    /// The error for an edit while writing is locked.
    static let locked = EditError(.readOnly, Availability.locked)
    /// The error for an edit before the store has been read.
    static let stillLoading = EditError(.notFound, "the store is still loading")

    /// An error of the file to which the edit is written.
    init(writing error: any Error) {
        let code: Code =
            (error as? ReplicationError)?.code == .unconfirmed ? .unconfirmed : .notWritten
        if let error = error as? any ExplainedError {
            self.init(code, because: error)
        } else {
            self.init(code, String(describing: error))
        }
    }
}

/// An error in a filter that can't be parsed, with the part to underline.
public struct FilterError: Error, Hashable, Sendable {
    /// The reason, as a clause without a full stop.
    public let message: String
    /// The invalid part, as UTF-8 offsets into the filter's text.
    public let range: Range<Int>

    /// Creates an error about a part of the filter's text.
    public init(_ message: String, at range: Range<Int>) {
        self.message = message
        self.range = range
    }
}
