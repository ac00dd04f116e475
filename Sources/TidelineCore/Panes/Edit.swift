public import Foundation
public import Replication

/// A value as a person types it, with its type: what `--as TYPE VALUE` is on the command line.
public struct TypedText: Hashable, Sendable, Codable {
    /// The type that the text is read as.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        case string, integer, real, boolean, date, data, json
        /// Document types beyond the property list's.
        case counter, timestamp, text, map, list, null
        /// A row of the same store that is pointed to, by its identifier or name.
        case relationship
    }

    /// The type.
    public var kind: Kind
    /// The value, in the form that its type is typed in.
    public var text: String

    /// A value of that type; the text is parsed only when it is written.
    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

/// The kinds of edit, to ask whether one is possible before it is begun.
public enum EditKind: Hashable, Sendable, CaseIterable {
    case set, add, rename, remove, resolve, relate, restore, takeBack, count
}

/// A change that a person asks for.
public enum Edit: Hashable, Sendable {
    /// A new value for a row, or for a field of it.
    case set(RowID, field: FieldPath?, TypedText)
    /// A new row or, with `parent`, a new field in one; with `field`, a new member or item in that
    /// structured value.
    case add(name: String, parent: RowID?, field: FieldPath? = nil, TypedText)
    /// Another name for a row, or for a member inside its value.
    case rename(RowID, field: FieldPath? = nil, to: String)
    /// Takes rows away, or a part of one.
    case remove([RowID], field: FieldPath?)
    /// Ends a conflict by one side's value or by another value.
    case resolve(RowID, Resolution)
    /// Points from a row to another.
    case relate(RowID, field: String, to: RowID, kind: String)
    /// Counts a row that is a counter up, or down: what others count meanwhile is counted too.
    case count(RowID, by: Int64)
    /// Gives rows again what they had at an instant; takes those away that were not there then.
    case restore([RowID], at: Timestamp)
    /// Takes back what this device wrote.
    case takeBack(WrittenEdit)

    /// How a conflict is ended.
    public indirect enum Resolution: Hashable, Sendable {
        /// By the value that this side has.
        case take(RowConflict.SideID)
        /// By a value of its own.
        case value(TypedText)
        /// By what the sides come to together, with what these sides have at some places
        /// (`ConflictDetail.fields`).
        case picks([FieldPath: RowConflict.SideID])
        /// Each of these properties by itself, where devices disagree about those and not about the
        /// row as a whole (``RowConflict/part``).
        case properties([FieldPath: Resolution])
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
        case .takeBack: .takeBack
        }
    }
}

/// An edit that was written, and the edits that take it back, in the order to apply them.
public struct AppliedEdit: Hashable, Sendable {
    /// Names it in the journal.
    public var id: UUID
    /// The edit in one line.
    public var summary: String
    /// When it was written, by the wall clock.
    public var date: Date
    /// The rows that it wrote, to be selected and marked.
    public var rows: [RowID]
    /// Edits that restore what was there; empty when it cannot be taken back.
    public var undo: [Edit]
    /// Whether it is not on disk yet and tried again until it is, or is withdrawn; see
    /// ``StoreSession/withdraw()``.
    public var isPending: Bool

    /// An edit as a source has written it.
    public init(
        id: UUID = UUID(), summary: String, date: Date, rows: [RowID], undo: [Edit],
        isPending: Bool = false
    ) {
        self.id = id
        self.summary = summary
        self.date = date
        self.rows = rows
        self.undo = undo
        self.isPending = isPending
    }
}

extension EditError: ExplainedError {
    /// What the code means to whoever asked.
    public var kind: FailureKind {
        switch code {
        case .notFound: .noAnswer
        case .invalid, .unsupported: .usage
        case .readOnly: .noPermission
        case .unreadable: .badData
        default: .inputOutput
        }
    }
    /// The message.
    public var reason: String { message }
}

extension FilterError: ExplainedError {
    /// Always the question itself.
    public var kind: FailureKind { .usage }
    /// The message.
    public var reason: String { message }
}

/// Why an edit was not written. Nothing of it was.
public struct EditError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The source cannot do this at all.
        public static let unsupported = Code("unsupported")
        /// The session was opened for reading.
        public static let readOnly = Code("readOnly")
        /// The text is not of the type, or the name cannot be one.
        public static let invalid = Code("invalid")
        /// The file that the edit would go to cannot be read.
        public static let unreadable = Code("unreadable")
        /// The row is not there.
        public static let notFound = Code("notFound")
        /// It cannot be taken back, as somebody has built on it since.
        public static let builtOn = Code("builtOn")
        /// Somebody wrote the row after the preview was made.
        public static let moved = Code("moved")
        /// It could not be written to disk: no space, no permission.
        public static let notWritten = Code("notWritten")
    }

    /// The kind of failure, to switch on.
    public let code: Code
    /// Why, as a clause without a full stop.
    public let message: String

    /// An error of a kind, with its explanation.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

/// A filter that does not parse, with the part to underline.
public struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as a clause without a full stop.
    public let message: String
    /// UTF-8 offsets into the filter's text.
    public let range: Range<Int>

    /// An error about a part of the filter's text.
    public init(_ message: String, at range: Range<Int>) {
        self.message = message
        self.range = range
    }

    public var description: String { message }
}
