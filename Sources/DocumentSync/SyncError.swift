public import Replication

/// The reason that documents could not be synced with a peer.
public struct SyncError: Error, Sendable {
    /// A stable identifier of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The text is not the address of a server.
        public static let invalidAddress = Code("invalidAddress")
        /// No connection could be made.
        public static let cannotConnect = Code("cannotConnect")
        /// The connection ended before the exchange was finished.
        public static let disconnected = Code("disconnected")
        /// The peer did not answer in time.
        public static let timedOut = Code("timedOut")
        /// The peer uses another protocol, or another version of it.
        public static let unsupported = Code("unsupported")
        /// The server refused the connection, for example because a token is missing.
        public static let refused = Code("refused")
        /// The peer sent bytes that are not a message, or an invalid message.
        public static let badMessage = Code("badMessage")
        /// A message, or the total size of a peer's messages, exceeds a limit.
        public static let tooLarge = Code("tooLarge")
        /// The number of peers or documents exceeds a limit.
        public static let tooMany = Code("tooMany")
        /// The peer reported an error on its side.
        public static let peerFailed = Code("peerFailed")
        /// Another peer connected with the same name, or the peer is this side itself.
        public static let replaced = Code("replaced")
        /// A server could not start at an address.
        public static let cannotListen = Code("cannotListen")
        /// The store of the documents failed.
        public static let storeFailed = Code("storeFailed")
        /// A peer's changes could not be saved. They are in memory, and saving can be retried.
        public static let notSaved = Code("notSaved")
        /// This side ended the connection.
        public static let stopped = Code("stopped")
    }

    /// The kind of failure, for use in a `switch`.
    public let code: Code
    /// The failure and its reason, as one sentence without a full stop.
    public let message: String
    /// A suggestion for fixing the problem, if any.
    public let suggestion: Suggestion?
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error with a code and an explanation.
    public init(
        _ code: Code, _ message: String, suggestion: Suggestion? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.suggestion = suggestion
        self.cause = cause
    }
}

extension SyncError: MessageError {
    /// The kind of failure that the code represents for callers.
    public var category: ErrorCategory {
        switch code {
        case .invalidAddress: .invalidRequest
        case .badMessage, .unsupported, .tooLarge: .badData
        case .cannotListen: .cannotCreate
        case .refused: .noPermission
        default: .inputOutput
        }
    }
}
