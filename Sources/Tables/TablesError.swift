public import GRDB
public import Replication

/// Why a question about a database's tables has no answer, or an edit was not made.
public struct TablesError: Error, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// No table, row or column is called so.
        public static let notFound = Code("notFound")
        /// The statement, the column or the value is wrong.
        public static let usage = Code("usage")
        /// It may not be written: a view, a file that others write, a generated column.
        public static let readOnly = Code("readOnly")
        /// The database's own rules refuse the write: a constraint, a trigger.
        public static let refused = Code("refused")
        /// Someone changed the row since it was read.
        public static let moved = Code("moved")
        /// It cost more than it was allowed to, or was told to stop.
        public static let interrupted = Code("interrupted")
        /// Another process keeps the file locked.
        public static let busy = Code("busy")
        /// What the file holds cannot be read as it says.
        public static let unreadable = Code("unreadable")
    }

    /// The kind of failure, to switch on.
    public let code: Code
    /// Why, as a clause without a full stop.
    public let message: String
    /// What to do about it, where there is something.
    public let wayOut: String?

    /// An error of a kind, with its explanation.
    public init(_ code: Code, _ message: String, wayOut: String? = nil) {
        self.code = code
        self.message = message
        self.wayOut = wayOut
    }

    /// The error for a write that needs a collation which this program lacks.
    init(missingCollation name: String) {
        self.init(
            .refused,
            "the collation \(name) is missing, and a key or an index of the table needs it",
            wayOut: "Make the change with the program that the file belongs to.")
    }

    /// What SQLite says of a statement, told as one of these; `nil` where it is about the file.
    ///
    /// - Parameter isWriting: Whether the statement writes, so that a constraint may refuse it.
    public init?(_ error: DatabaseError) {
        let reason = error.message ?? "\(error.resultCode)"
        let missing = "no such collation sequence: "
        if reason.hasPrefix(missing) {
            self.init(missingCollation: String(reason.dropFirst(missing.count)))
            return
        }
        switch error.resultCode {
        case .SQLITE_CONSTRAINT: self.init(.refused, Self.words(forRefusal: reason))
        case .SQLITE_MISMATCH: self.init(.refused, reason)
        case .SQLITE_INTERRUPT: self.init(.interrupted, "stopped: it would run too long")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .busy, "locked by another process",
                wayOut: "Try again when the other process has finished.")
        case .SQLITE_AUTH: self.init(.usage, "only a query that reads is run: \(reason)")
        case .SQLITE_READONLY: self.init(.readOnly, "permission denied")
        case .SQLITE_TOOBIG: self.init(.unreadable, "a value is too long: \(reason)")
        case .SQLITE_ERROR, .SQLITE_MISUSE, .SQLITE_RANGE: self.init(.usage, reason)
        default: return nil
        }
    }
}

extension TablesError: ExplainedError {
    /// What the code means to whoever asked.
    public var kind: FailureKind {
        switch code {
        case .notFound: .noAnswer
        case .usage: .usage
        case .readOnly: .noPermission
        case .unreadable, .refused: .badData
        default: .inputOutput
        }
    }
    /// The message.
    public var reason: String { message }
}

extension TablesError: CustomStringConvertible {
    public var description: String { message }
}
