public import Replication

/// Why a store could not be opened or a question about it not be answered.
public struct CoreError: Error, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// No file or folder is there.
        public static let notFound = Code("notFound")
        /// What is there is of no kind that can be opened, or damaged.
        public static let badData = Code("badData")
        /// The store does not hold what was asked for.
        public static let noAnswer = Code("noAnswer")
        /// The question itself is wrong: a type, a pointer, a statement.
        public static let usage = Code("usage")
        public static let noPermission = Code("noPermission")
        public static let cannotCreate = Code("cannotCreate")
    }

    public let code: Code
    /// Why, without a full stop.
    public let message: String
    /// What to do about it, where there is something.
    public let wayOut: String?

    public init(_ code: Code, _ message: String, wayOut: String? = nil) {
        self.code = code
        self.message = message
        self.wayOut = wayOut
    }

    public var description: String { message }
}

extension CoreError: ExplainedError {
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
    public var reason: String { message }
}
