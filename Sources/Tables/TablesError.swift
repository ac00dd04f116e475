public import GRDB
public import Replication

/// An error of a database read, a query or an edit.
public struct TablesError: Error, Sendable {
    /// A stable name for the kind of failure. New codes can be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// No such table, row or column exists.
        public static let notFound = Code("notFound")
        /// The statement, the column or the value is invalid.
        public static let usage = Code("usage")
        /// The target can't be written: a view, a file that another program maintains, or a
        /// generated column.
        public static let readOnly = Code("readOnly")
        /// A rule of the database rejected the write: a constraint or a trigger.
        public static let refused = Code("refused")
        /// The row changed since it was read.
        public static let moved = Code("moved")
        /// The operation exceeded its limit or was canceled.
        public static let interrupted = Code("interrupted")
        /// Another process holds a lock on the file.
        public static let busy = Code("busy")
        /// The file's content doesn't match its declared format.
        public static let unreadable = Code("unreadable")
    }

    /// The kind of failure.
    public let code: Code
    /// The reason why the operation failed, as a clause without a full stop.
    public let message: String
    /// A suggestion for the user, if any.
    public let suggestion: Suggestion?

    /// Creates an error.
    public init(_ code: Code, _ message: String, suggestion: Suggestion? = nil) {
        self.code = code
        self.message = message
        self.suggestion = suggestion
    }

    /// Creates the error for a write that needs a collation that isn't available.
    init(missingCollation name: String) {
        self.init(missingExtension: .collation, name, "a key or an index of the table needs it")
    }

    /// Converts an SQLite error about a write; `nil` if the error is about the file.
    init?(writing error: DatabaseError) {
        guard let missing = error.message.flatMap(MissingExtension.init) else {
            // The statement itself is valid, so the error is about the file's triggers, generated
            // columns, foreign keys or indices.
            if error.resultCode == .SQLITE_ERROR {
                let reason = error.message ?? "\(error.resultCode)"
                let isMissing = Self.faults.contains { reason.hasPrefix($0) }
                self.init(
                    .refused,
                    isMissing
                        ? "a trigger or a foreign key of the table is invalid: \(reason)" : reason)
            } else {
                self.init(error)
            }
            return
        }
        switch missing.kind {
        case .collation: self.init(missingCollation: missing.name)
        case .function:
            self.init(
                missingExtension: .function, missing.name,
                "a column, constraint, index or trigger of the table needs it")
        case .module, .tokenizer:
            self.init(
                missingExtension: missing.kind, missing.name, "a trigger of the table needs it")
        }
    }

    /// The beginnings of SQLite's messages about a schema that refers to something missing.
    private static let faults = [
        "no such table: ", "no such column: ", "foreign key mismatch",
    ]

    private init(missingExtension kind: MissingExtension.Kind, _ name: String, _ need: String) {
        self.init(
            .refused, "the \(kind) \(name) is missing, and \(need)",
            suggestion: "make the change with the program that owns the file")
    }

    /// Converts an SQLite error about a statement; `nil` if the error is about the file.
    public init?(_ error: DatabaseError) {
        let reason = error.message ?? "\(error.resultCode)"
        // SQLite reports "no such function" for the statement, and "unknown function" for the
        // schema.
        if let missing = MissingExtension(reason),
            missing.kind != .function || reason.hasPrefix("unknown ")
        {
            self.init(.refused, "the \(missing.kind) \(missing.name) is missing")
            return
        }
        switch error.resultCode {
        case .SQLITE_CONSTRAINT: self.init(.refused, Self.words(forRefusal: reason))
        case .SQLITE_MISMATCH: self.init(.refused, reason)
        case .SQLITE_INTERRUPT: self.init(.interrupted, "stopped: it exceeded the time limit")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .busy, "locked by another process",
                suggestion: "try again when the other process has finished")
        case .SQLITE_AUTH: self.init(.usage, "only a query that reads can be run: \(reason)")
        case .SQLITE_READONLY: self.init(.readOnly, "permission denied")
        case .SQLITE_TOOBIG: self.init(.unreadable, "a value is too long: \(reason)")
        case .SQLITE_ERROR, .SQLITE_MISUSE, .SQLITE_RANGE: self.init(.usage, reason)
        default: return nil
        }
    }
}

extension TablesError: MessageError {
    /// The general kind of failure.
    public var category: ErrorCategory {
        switch code {
        case .notFound: .noSuchItem
        case .usage: .invalidRequest
        case .readOnly: .noPermission
        case .unreadable, .refused: .badData
        default: .inputOutput
        }
    }
}

extension Suggestion.Action {
    /// Write to the package with the store that owns the file.
    public static let writeToPackage = Self("writeToPackage")
    /// Specify the type of a value.
    public static let specifyType = Self("specifyType")
    /// Write to the table of a Core Data entity.
    public static let writeToTable = Self("writeToTable")
    /// Set, insert or delete rows.
    public static let editRows = Self("editRows")
}
