public import Replication

/// An error of a document store.
///
/// Errors of the underlying files, such as a file that can't be read or created, are thrown as
/// `ReplicationError`. Errors in the content of a document are thrown as `DocError` of the
/// Automerge library.
public struct DocumentStoreError: Error, Sendable {
    /// A stable name for a kind of failure. Future versions may add codes.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The workspace doesn't exist or was deleted.
        public static let noSuchWorkspace = Code("noSuchWorkspace")
        /// The document doesn't exist.
        public static let noSuchDocument = Code("noSuchDocument")
        /// The document can't be opened yet: later changes have arrived, but not the first ones.
        public static let notArrived = Code("notArrived")
        /// The document or the store can't be read.
        public static let unreadable = Code("unreadable")
        /// The workspace name isn't valid.
        public static let invalidName = Code("invalidName")
        /// The store was opened read-only, or its format is read-only.
        public static let readOnly = Code("readOnly")
        /// The store's format doesn't support the operation.
        public static let unsupported = Code("unsupported")
        /// The chunk exceeds the maximum size.
        public static let tooLarge = Code("tooLarge")
        /// This device's file is damaged or incomplete, so nothing is written to it.
        public static let ownLogUnreadable = Code("ownLogUnreadable")
        /// The clocks leave no valid timestamp for a write.
        public static let timeOutOfRange = Code("timeOutOfRange")
        /// An item already exists.
        public static let exists = Code("exists")
        /// The store was closed.
        public static let closed = Code("closed")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and its reason, as one sentence without a full stop.
    public let message: String
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error with an explanation.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension DocumentStoreError: MessageError {
    /// The kind of failure that the code represents for the user.
    public var category: ErrorCategory {
        switch code {
        case .noSuchWorkspace, .noSuchDocument, .notArrived: .noSuchItem
        case .readOnly: .noPermission
        case .exists: .cannotCreate
        case .invalidName, .unsupported: .invalidRequest
        case .ownLogUnreadable: (cause as? ReplicationError)?.category ?? .badData
        case .unreadable, .timeOutOfRange, .tooLarge: .badData
        default: .inputOutput
        }
    }
    /// A suggestion if this device's file can't be read; `nil` for other errors.
    public var suggestion: Suggestion? {
        code == .ownLogUnreadable ? .replaceOwnLog : nil
    }
}
