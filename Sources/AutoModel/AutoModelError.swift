public import Replication

/// What went wrong with a database of models.
public struct AutoModelError: Error, Sendable, CustomStringConvertible {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// No open database has the model, or more than one has.
        public static let notOpen = Code("notOpen")
        /// The database was closed or let go of.
        public static let closed = Code("closed")
        /// Declarations that do not fit one another.
        public static let declaration = Code("declaration")
        /// A migration would lose data, and nobody said that it may.
        public static let wouldLoseData = Code("wouldLoseData")
        /// Two rows would have the same value where each must have its own.
        public static let notUnique = Code("notUnique")
        /// The row was deleted meanwhile.
        public static let noRow = Code("noRow")
        /// A row is still referred to, and the reference says that it must stay.
        public static let referred = Code("referred")
        /// A value that cannot be kept, or a stored one that is not what its property says.
        public static let unfitValue = Code("unfitValue")
        /// Another process keeps the file locked; trying again later may succeed.
        public static let busy = Code("busy")
        /// The file is damaged or no database.
        public static let unreadable = Code("unreadable")
        /// Writing or opening the file is not permitted.
        public static let noPermission = Code("noPermission")
        /// SQLite or the operating system failed.
        public static let inputOutput = Code("inputOutput")
        /// The SQL that was given is wrong.
        public static let sql = Code("sql")
    }

    /// The kind of failure, to switch on.
    public let code: Code
    /// What failed and why, as one sentence without a full stop.
    public let message: String
    /// The identifiers of the rows that the error is about; empty if it isn't about rows.
    public let ids: [Int64]
    /// The objects that weren't saved or deleted; empty for errors of other calls.
    public let objects: [any AutoObject]
    /// The error underneath, where there is one.
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

    public var description: String { message }
}

extension AutoModelError: ExplainedError {
    /// What the code means to whoever asked.
    public var kind: FailureKind {
        switch code {
        case .noRow: .noAnswer
        case .unfitValue, .unreadable, .wouldLoseData: .badData
        case .noPermission: .noPermission
        case .busy, .inputOutput, .closed: .inputOutput
        default: .usage
        }
    }
    public var reason: String { message }
}
