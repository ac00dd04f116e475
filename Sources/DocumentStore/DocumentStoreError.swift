public import Replication

/// What went wrong with a store of documents.
///
/// Errors of the files underneath (one that cannot be read or made) come as `ReplicationError`,
/// those of a document's content as `DocError` of the Automerge library.
public struct DocumentStoreError: Error, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// There is no such workspace, or it was deleted.
        public static let noSuchWorkspace = Code("noSuchWorkspace")
        /// There is no such document.
        public static let noSuchDocument = Code("noSuchDocument")
        /// Something of the document is there, but no snapshot yet to open it from.
        public static let notArrived = Code("notArrived")
        /// What is there of the document, or of the store, cannot be read.
        public static let unreadable = Code("unreadable")
        /// A name that a workspace cannot have.
        public static let invalidName = Code("invalidName")
        /// The store was opened for reading, or its form is only ever read.
        public static let readOnly = Code("readOnly")
        /// The store's form has no such thing.
        public static let unsupported = Code("unsupported")
        /// A chunk is longer than what is stored in one piece.
        public static let tooLarge = Code("tooLarge")
        /// This device's file is damaged or not all there, so that nothing is written to it.
        public static let ownLogUnreadable = Code("ownLogUnreadable")
        /// Clocks leave no time that could be written.
        public static let timeOutOfRange = Code("timeOutOfRange")
        /// Something is there already.
        public static let exists = Code("exists")
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

extension DocumentStoreError: ExplainedError {
    /// What the code means to whoever asked.
    public var kind: FailureKind {
        switch code {
        case .noSuchWorkspace, .noSuchDocument, .notArrived: .noAnswer
        case .readOnly: .noPermission
        case .exists: .cannotCreate
        case .invalidName, .unsupported: .usage
        case .ownLogUnreadable: (cause as? ReplicationError)?.kind ?? .badData
        case .unreadable, .timeOutOfRange, .tooLarge: .badData
        default: .inputOutput
        }
    }
    /// The message: it tells what it is about.
    public var reason: String { message }
    /// What to do where this device's own file cannot be read; `nil` for anything else.
    public var wayOut: String? {
        code == .ownLogUnreadable ? ReplicationError.wayOutOfUnreadableOwnLog : nil
    }
}

extension DocumentStoreError: CustomStringConvertible {
    public var description: String { message }
}
