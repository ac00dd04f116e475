public import Replication

/// What went wrong with a key-value store; what concerns its package is a `ReplicationError`.
public struct KeyValueError: Error, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The store is not loaded yet, or closed.
        public static let notLoaded = Code("notLoaded")
        /// The store was opened without a device to write as.
        public static let readOnly = Code("readOnly")
        /// This device's log is damaged or not all there: what would be written could not follow on
        /// what it holds.
        public static let ownLogUnreadable = Code("ownLogUnreadable")
        /// A value that cannot be stored, or bytes that are not a value.
        public static let invalidValue = Code("invalidValue")
        /// A value of another kind than was asked for.
        public static let typeMismatch = Code("typeMismatch")
        /// A key that cannot be stored.
        public static let invalidKey = Code("invalidKey")
        /// A write would get a time that no row can have, or was given one.
        public static let timeOutOfRange = Code("timeOutOfRange")
        /// There is no such device, row or conflict.
        public static let notFound = Code("notFound")
        /// The value changed since it was looked at.
        public static let changedMeanwhile = Code("changedMeanwhile")
        /// A transaction asked for what waits for files: saving, loading, syncing.
        public static let insideTransaction = Code("insideTransaction")
        /// A row cannot be taken back because others build on it.
        public static let builtOn = Code("builtOn")
        /// The two stores cannot be merged.
        public static let cannotMerge = Code("cannotMerge")
        /// A store in memory has no files to do this with.
        public static let inMemory = Code("inMemory")
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

extension KeyValueError: ExplainedError {
    /// What the code means to whoever asked.
    public var kind: FailureKind {
        switch code {
        case .notFound: .noAnswer
        case .readOnly: .noPermission
        case .invalidKey, .invalidValue, .cannotMerge: .usage
        case .ownLogUnreadable: (cause as? ReplicationError)?.kind ?? .badData
        case .timeOutOfRange, .typeMismatch: .badData
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

extension KeyValueError: CustomStringConvertible {
    public var description: String { message }
}
