public import Replication

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
    /// The error for copying an item of another store in a list that isn't about differences.
    static let takingOverElsewhere = EditError(
        .unsupported, "another store's values can be copied only in a comparison")
    /// Returns the error for copying an item that the other store has lost since the
    /// comparison. Deleting the item from the open store, too, could delete the last copy.
    static func goneFromOtherStore(_ item: String) -> EditError {
        EditError(
            .notFound, "the other store no longer has \(item): compare the stores again")
    }
    /// The error for an edit in a session without a writing device.
    static let withoutDevice = EditError(.readOnly, Availability.withoutDevice)
    /// The error for an edit while writing is locked.
    static let locked = EditError(.readOnly, Availability.locked)
    /// The error for an edit before the store has been read.
    static let stillLoading = EditError(.notFound, "the store is still loading")

    /// Runs a write of a file.
    ///
    /// - Returns: Whether the file is written, but the disk didn't confirm it.
    static func isUnconfirmed(_ write: () throws -> Void) throws(EditError) -> Bool {
        do {
            try write()
            return false
        } catch let error as ReplicationError where error.code == .unconfirmed {
            return true
        } catch {
            throw EditError(writing: error)
        }
    }

    /// Creates an error from the error of a failed write.
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

extension EditError: MessageError {
    /// The general kind of failure: the kind of the error that prevented the edit, if any.
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
