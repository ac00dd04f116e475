public import Replication

/// An error of a key-value store. Errors of its package are thrown as `ReplicationError`.
public struct KeyValueError: Error, Sendable {
    /// A stable name for the kind of failure. New codes can be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The store is not loaded yet, or is closed.
        public static let notLoaded = Code("notLoaded")
        /// The store was opened without a device, so it can't write.
        public static let readOnly = Code("readOnly")
        /// This device's log is damaged or incomplete, so no rows can be appended.
        public static let ownLogUnreadable = Code("ownLogUnreadable")
        /// The value can't be stored, or the bytes are not a value.
        public static let invalidValue = Code("invalidValue")
        /// The value isn't of the requested kind.
        public static let typeMismatch = Code("typeMismatch")
        /// The key can't be stored.
        public static let invalidKey = Code("invalidKey")
        /// The time of a write is outside the range that rows can have.
        public static let timeOutOfRange = Code("timeOutOfRange")
        /// The device, row, or conflict doesn't exist.
        public static let notFound = Code("notFound")
        /// The value changed since it was read.
        public static let changedSinceRead = Code("changedSinceRead")
        /// The operation waits for files (saving, loading, syncing), so a transaction can't call
        /// it.
        public static let insideTransaction = Code("insideTransaction")
        /// The row can't be reverted, because other rows build on it.
        public static let builtOn = Code("builtOn")
        /// The two stores cannot be merged.
        public static let cannotMerge = Code("cannotMerge")
        /// The operation needs files, which an in-memory store doesn't have.
        public static let inMemory = Code("inMemory")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and its reason, as one sentence without a full stop.
    public let message: String
    /// The underlying error, if any.
    public let cause: (any Error)?
    /// The write that builds on the row, if the code is ``Code/builtOn``; otherwise `nil`.
    public internal(set) var laterWrite: LaterWrite?

    /// A later write that prevents a row from being reverted.
    public struct LaterWrite: Hashable, Sendable {
        /// The key.
        public let key: String
        /// The device that made the write.
        public let device: DeviceID
        /// Whether ``device`` also wrote the row.
        public let isOwn: Bool
        /// The time of the write.
        public let timestamp: Timestamp
    }

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension KeyValueError {
    /// The error for a write to a store that was opened without a device.
    static var withoutDevice: Self {
        Self(.readOnly, "the store was opened without a device, so it can't write")
    }

    /// Creates the error for a key that has changed since it was read.
    init(changed key: String) {
        self.init(.changedSinceRead, "\(key.quoted) has changed since it was read")
    }
}

extension KeyValueError: MessageError {
    /// The general kind of failure.
    public var category: ErrorCategory {
        switch code {
        case .notFound: .noSuchItem
        case .readOnly: .noPermission
        case .invalidKey, .invalidValue, .cannotMerge: .invalidRequest
        case .ownLogUnreadable: (cause as? ReplicationError)?.category ?? .badData
        case .timeOutOfRange, .typeMismatch: .badData
        default: .inputOutput
        }
    }
    /// The suggestion if this device's own log can't be read; otherwise `nil`.
    public var suggestion: Suggestion? {
        code == .ownLogUnreadable ? .replaceOwnLog : nil
    }
}
