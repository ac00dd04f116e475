public import Replication

/// Why a store could not be opened, or a question about it could not be answered.
public struct CoreError: Error, Sendable, CustomStringConvertible {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// No file or folder is there.
        public static let notFound = Code("notFound")
        /// What is there cannot be opened as any kind of store, or is damaged.
        public static let badData = Code("badData")
        /// The store does not hold what was asked for.
        public static let noAnswer = Code("noAnswer")
        /// The question itself is wrong: a type, a pointer, a statement.
        public static let usage = Code("usage")
        /// The operating system refused: permission.
        public static let noPermission = Code("noPermission")
        /// Something could not be created.
        public static let cannotCreate = Code("cannotCreate")
    }

    /// The kind of failure, to switch on.
    public let code: Code
    /// Why, without a full stop.
    public let message: String
    /// The file or folder that it is about, where the message does not say it.
    public let subject: String?
    /// What to do about it, where there is something.
    public let wayOut: String?

    /// An error of a kind, with its explanation.
    public init(
        _ code: Code, at subject: String? = nil, _ message: String, wayOut: String? = nil
    ) {
        self.code = code
        self.subject = subject
        self.message = message
        self.wayOut = wayOut
    }

    public var description: String { (subject.map { "\($0): " } ?? "") + message }
}

extension CoreError: ExplainedError {
    /// What the code means to whoever asked.
    public var kind: FailureKind {
        switch code {
        case .notFound: .noInput
        case .noAnswer: .noAnswer
        case .usage: .usage
        case .noPermission: .noPermission
        case .cannotCreate: .cannotCreate
        default: .badData
        }
    }
    /// The message.
    public var reason: String { message }
}
