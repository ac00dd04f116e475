public import Replication

/// Why documents could not be synchronized with a peer.
public struct SyncError: Error, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// Text that is not the address of a server.
        public static let invalidAddress = Code("invalidAddress")
        /// No connection came about.
        public static let cannotConnect = Code("cannotConnect")
        /// The connection ended while there was more to do.
        public static let disconnected = Code("disconnected")
        /// The peer did not answer in time.
        public static let timedOut = Code("timedOut")
        /// The peer speaks another protocol, or another version of it.
        public static let unsupported = Code("unsupported")
        /// The peer sent what is no message, or a message that makes no sense.
        public static let badMessage = Code("badMessage")
        /// A message, or all that a peer sent together, is beyond a limit.
        public static let tooLarge = Code("tooLarge")
        /// More peers or documents than a limit allows.
        public static let tooMany = Code("tooMany")
        /// The peer said that something went wrong on its side.
        public static let peerFailed = Code("peerFailed")
        /// The peer is another one of the same name, or this one itself.
        public static let replaced = Code("replaced")
        /// No server could be begun at an address.
        public static let cannotListen = Code("cannotListen")
        /// The documents' own store failed.
        public static let storeFailed = Code("storeFailed")
        /// What a peer sent could not be kept; it is in memory, and can be tried again.
        public static let notSaved = Code("notSaved")
        /// This side ended it.
        public static let stopped = Code("stopped")
    }

    /// The kind of failure, to switch on.
    public let code: Code
    /// What failed and why, as one sentence without a full stop.
    public let message: String
    /// What to do about it, where there is something.
    public let wayOut: String?
    /// The error underneath, where there is one.
    public let cause: (any Error)?

    /// An error of a kind, with its explanation.
    public init(
        _ code: Code, _ message: String, wayOut: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.wayOut = wayOut
        self.cause = cause
    }
}

extension SyncError: ExplainedError, CustomStringConvertible {
    public var description: String { message }
    /// The message.
    public var reason: String { message }
    /// What the code means to whoever asked.
    public var kind: FailureKind {
        switch code {
        case .invalidAddress: .usage
        case .badMessage, .unsupported, .tooLarge: .badData
        case .cannotListen: .cannotCreate
        default: .inputOutput
        }
    }
}

extension SyncError {
    /// What any error says of itself, for a message about it.
    package static func explanation(_ error: any Error) -> String {
        (error as? any ExplainedError)?.reason ?? String(describing: error)
    }
}
