public import Replication

/// An error of an entity store, a query, or an interchange file.
///
/// Errors of the package underneath (a file that can't be read or created) are thrown as
/// `ReplicationError`.
public struct EntityStoreError: Error, Sendable {
    /// A stable name for the kind of failure. New codes can be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// No entity matches the reference, and it doesn't describe an entity to create.
        public static let noSuchEntity = Code("noSuchEntity")
        /// The property doesn't have the value to remove.
        public static let noSuchValue = Code("noSuchValue")
        /// An entity with that identifier exists already.
        public static let exists = Code("exists")
        /// A name that can't be written: a fixed property, or an empty key or identifier.
        public static let invalidName = Code("invalidName")
        /// A value that the store can't keep unchanged.
        public static let invalidValue = Code("invalidValue")
        /// A datestamp is out of range, or no timestamp is left that is later than a seen
        /// timestamp.
        public static let timeOutOfRange = Code("timeOutOfRange")
        /// The store is open for reading only, or its format can only be read.
        public static let readOnly = Code("readOnly")
        /// The interchange text is invalid; nothing was imported.
        public static let invalidInterchange = Code("invalidInterchange")
        /// The file is not an entity store, or its content is inconsistent.
        public static let unreadable = Code("unreadable")
        /// This device's log is damaged or incomplete, so new rows could not continue it.
        public static let ownLogUnreadable = Code("ownLogUnreadable")
        /// A Swift value that can't be stored as properties, or a Swift type that an entity's
        /// properties don't match.
        public static let notCodable = Code("notCodable")
        /// The entity was written since it was last read.
        public static let changedSinceRead = Code("changedSinceRead")
        /// The store is closed.
        public static let closed = Code("closed")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and its reason, as one sentence without a full stop.
    public let message: String
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension EntityStoreError: MessageError {
    /// The general kind of failure.
    public var category: ErrorCategory {
        switch code {
        case .noSuchEntity, .noSuchValue: .noSuchItem
        case .readOnly: .noPermission
        case .exists: .cannotCreate
        case .invalidName, .invalidValue, .notCodable: .invalidRequest
        case .ownLogUnreadable: (cause as? ReplicationError)?.category ?? .badData
        case .invalidInterchange, .unreadable, .timeOutOfRange: .badData
        default: .inputOutput
        }
    }
    /// A suggestion if this device's own log can't be read; otherwise `nil`.
    public var suggestion: Suggestion? {
        code == .ownLogUnreadable ? .replaceOwnLog : nil
    }
}
