public import Replication

/// What went wrong with an entity store, a query, or an interchange file.
///
/// Errors of the package underneath (a file that cannot be read or made) come as
/// `ReplicationError`.
public struct EntityStoreError: Error, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// No entity answers to the reference, and it does not say how to make one.
        public static let noSuchEntity = Code("noSuchEntity")
        /// A property has no such value to take back.
        public static let noSuchValue = Code("noSuchValue")
        /// An entity with that identifier is there already.
        public static let exists = Code("exists")
        /// A name that cannot be written: a fixed property, an empty key or identifier.
        public static let invalidName = Code("invalidName")
        /// A value that the store cannot keep as it is.
        public static let invalidValue = Code("invalidValue")
        /// A datestamp that none can be, or no time is left after one that was seen.
        public static let timeOutOfRange = Code("timeOutOfRange")
        /// The store was opened for reading, or its form is only ever read.
        public static let readOnly = Code("readOnly")
        /// Interchange text that is not what it says; nothing of it was imported.
        public static let invalidInterchange = Code("invalidInterchange")
        /// The file is not an entity store, or its content contradicts itself.
        public static let unreadable = Code("unreadable")
        /// This device's log is damaged or not all there: what would be written could not follow on
        /// what it holds.
        public static let ownLogUnreadable = Code("ownLogUnreadable")
        /// A Swift value that does not fit an entity's properties, or the other way round.
        public static let notCodable = Code("notCodable")
        /// An entity was written since somebody looked at it.
        public static let changedMeanwhile = Code("changedMeanwhile")
        /// The store was closed.
        public static let closed = Code("closed")
    }

    /// The kind of failure, to switch on.
    public let code: Code
    /// What failed and why, as one sentence without a full stop.
    public let message: String
    /// The error underneath, where there is one.
    public let cause: (any Error)?

    /// An error of a kind, with its explanation.
    ///
    /// - Parameter message: What failed and why, as one sentence without a full stop.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension EntityStoreError: ExplainedError {
    /// What the code means to whoever asked.
    public var kind: FailureKind {
        switch code {
        case .noSuchEntity, .noSuchValue: .noAnswer
        case .readOnly: .noPermission
        case .exists: .cannotCreate
        case .invalidName, .invalidValue, .notCodable: .usage
        case .ownLogUnreadable: (cause as? ReplicationError)?.kind ?? .badData
        case .invalidInterchange, .unreadable, .timeOutOfRange: .badData
        default: .inputOutput
        }
    }
    /// The message: it tells what it is about.
    public var reason: String { message }
    /// What to do where this device's own log cannot be read; `nil` for anything else.
    public var wayOut: String? {
        code == .ownLogUnreadable ? ReplicationError.wayOutOfUnreadableOwnLog : nil
    }
}

extension EntityStoreError: CustomStringConvertible {
    public var description: String { message }
}
