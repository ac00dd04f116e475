/// A call on a document that could not be done.
///
/// Unless a call says otherwise, the document is as it was before it.
public struct DocError: Error, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The document has no such object.
        public static let unknownObject = Code("unknownObject")
        /// The object is there, and of a kind that cannot do this.
        public static let wrongObjectType = Code("wrongObjectType")
        /// An index or range that reaches beyond the list or text.
        public static let outOfRange = Code("outOfRange")
        /// An increment of what is not a counter.
        public static let notACounter = Code("notACounter")
        /// Heads that name a change which the document does not have.
        public static let unknownChange = Code("unknownChange")
        /// A cursor into another object, or to an element that the document does not have.
        public static let invalidCursor = Code("invalidCursor")
        /// Two different changes of one actor with one number.
        public static let duplicateChange = Code("duplicateChange")
        /// Bytes that are not chunks of Automerge, or are damaged.
        public static let malformed = Code("malformed")
        /// Input that would take more memory than its stated limit, or counters beyond theirs.
        public static let tooLarge = Code("tooLarge")
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

/// Bytes that could not be opened as a document.
public struct LoadError: Error, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The bytes do not begin as a chunk of Automerge.
        public static let notAutomerge = Code("notAutomerge")
        /// A chunk ends before its stated length.
        public static let truncated = Code("truncated")
        /// A chunk whose checksum, or a document whose heads, do not match its content.
        public static let checksum = Code("checksum")
        /// A chunk that contradicts the format.
        public static let malformed = Code("malformed")
        /// Content that would take more memory than its stated limit, or counters beyond theirs.
        public static let tooLarge = Code("tooLarge")
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

/// A message of a peer that could not be taken in. The document and the state are as before.
public struct ReceiveSyncError: Error, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The bytes are not a sync message.
        public static let malformed = Code("malformed")
        /// The message is sound, its changes cannot be applied.
        public static let invalidChanges = Code("invalidChanges")
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

/// Bytes that ``SyncState/encode()`` did not write.
public struct DecodeSyncStateError: Error, Sendable {
    /// What is wrong with them, as one sentence without a full stop.
    public let message: String

    /// An error with what is wrong, as one sentence without a full stop.
    public init(_ message: String) { self.message = message }
}

extension DocError: CustomStringConvertible {
    public var description: String { message }
}

extension LoadError: CustomStringConvertible {
    public var description: String { message }
}

extension ReceiveSyncError: CustomStringConvertible {
    public var description: String { message }
}

extension DecodeSyncStateError: CustomStringConvertible {
    public var description: String { message }
}
