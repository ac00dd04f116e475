/// An error from an operation on a document.
///
/// Unless documented otherwise, a failed operation leaves the document unchanged.
public struct DocError: Error, Sendable, CustomStringConvertible {
    /// A stable name for the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// An object that the document doesn't have.
        public static let unknownObject = Code("unknownObject")
        /// An object whose type doesn't support the operation.
        public static let wrongObjectType = Code("wrongObjectType")
        /// An index or range beyond the end of the list or text.
        public static let outOfRange = Code("outOfRange")
        /// An increment of a value that is not a counter.
        public static let notACounter = Code("notACounter")
        /// Heads with a change that the document doesn't have.
        public static let unknownChange = Code("unknownChange")
        /// A cursor for another object, or for an element that the document doesn't have.
        public static let invalidCursor = Code("invalidCursor")
        /// Two different changes with the same actor and number.
        public static let duplicateChange = Code("duplicateChange")
        /// Bytes that aren't Automerge chunks, or are damaged.
        public static let malformed = Code("malformed")
        /// Input that needs more memory than the limit, or counters above the maximum.
        public static let tooLarge = Code("tooLarge")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and its cause, as one sentence without a full stop.
    public let message: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    /// Creates an error with a code and a message.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}

/// An error from loading bytes as a document.
public struct LoadError: Error, Sendable, CustomStringConvertible {
    /// A stable name for the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// Bytes that don't start with an Automerge chunk.
        public static let notAutomerge = Code("notAutomerge")
        /// A chunk that is shorter than its stated length.
        public static let truncated = Code("truncated")
        /// The checksum of a chunk, or the heads of a document, don't match the content.
        public static let checksum = Code("checksum")
        /// A chunk that violates the format.
        public static let malformed = Code("malformed")
        /// Content that needs more memory than the limit, or counters above the maximum.
        public static let tooLarge = Code("tooLarge")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and its cause, as one sentence without a full stop.
    public let message: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    /// Creates an error with a code and a message.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}

/// An error from receiving a message from a peer. The document and the sync state are unchanged.
public struct ReceiveSyncError: Error, Sendable, CustomStringConvertible {
    /// A stable name for the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// Bytes that aren't a sync message.
        public static let malformed = Code("malformed")
        /// A valid message with changes that can't be applied.
        public static let invalidChanges = Code("invalidChanges")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and its cause, as one sentence without a full stop.
    public let message: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    /// Creates an error with a code and a message.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}

/// An error for bytes that ``SyncState/encode()`` did not write.
public struct DecodeSyncStateError: Error, Sendable, CustomStringConvertible {
    /// The problem with the bytes, as one sentence without a full stop.
    public let message: String

    /// Creates an error with a message, which is one sentence without a full stop.
    public init(_ message: String) { self.message = message }

    public var description: String { message }
}
