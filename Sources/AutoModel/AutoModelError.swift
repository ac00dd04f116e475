public import Replication

/// An error of AutoModel, with a code, a message, and the affected rows and objects.
public struct AutoModelError: Error, Sendable {
    /// A stable name for a kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// No open database has the model, or several open databases have it.
        public static let notOpen = Code("notOpen")
        /// The database was closed or released.
        public static let closed = Code("closed")
        /// Declarations contradict each other.
        public static let declaration = Code("declaration")
        /// A migration would lose data, and the loss isn't allowed.
        public static let wouldLoseData = Code("wouldLoseData")
        /// Two rows would have the same value in a column or index that requires unique values.
        public static let notUnique = Code("notUnique")
        /// The row is missing or was deleted.
        public static let noRow = Code("noRow")
        /// The row can't be deleted, because other rows refer to it.
        public static let referred = Code("referred")
        /// A value can't be stored, or a property can't read a stored value.
        public static let invalidValue = Code("invalidValue")
        /// Another process holds a lock on the file. Trying again later may succeed.
        public static let busy = Code("busy")
        /// The file is damaged or not a database.
        public static let unreadable = Code("unreadable")
        /// No permission to open or write the file.
        public static let noPermission = Code("noPermission")
        /// SQLite or the operating system failed.
        public static let inputOutput = Code("inputOutput")
        /// The disk failed during a commit. The transaction may still take effect after a crash.
        /// The objects keep their changes, and saving them again is safe.
        public static let unconfirmed = Code("unconfirmed")
        /// The SQL text is invalid, or SQLite refused the statement.
        public static let sql = Code("sql")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and its reason, without a full stop.
    public let message: String
    /// The identifiers of the affected rows; empty if the error isn't about rows.
    public let ids: [Int64]
    /// The objects that weren't saved or deleted; empty if the error isn't about saving or
    /// deleting.
    public let objects: [any AutoObject]
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    init(
        _ code: Code, _ message: String, ids: [Int64] = [], objects: [any AutoObject] = [],
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.ids = ids
        self.objects = objects
        self.cause = cause
    }
}

extension AutoModelError: MessageError {
    /// The category of the error, for programs that map errors to exit codes.
    public var category: ErrorCategory {
        switch code {
        case .noRow: .noSuchItem
        case .invalidValue, .unreadable, .wouldLoseData: .badData
        case .noPermission: .noPermission
        case .busy, .inputOutput, .closed: .inputOutput
        case .unconfirmed: .unconfirmed
        default: .invalidRequest
        }
    }
}
