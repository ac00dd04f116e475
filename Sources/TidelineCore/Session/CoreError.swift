public import Replication

/// An error from opening a store or from a query about it.
public struct CoreError: Error, Sendable {
    /// A stable code of the failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The file or folder doesn't exist.
        public static let notFound = Code("notFound")
        /// The file is damaged or isn't a store of any known kind.
        public static let badData = Code("badData")
        /// The store doesn't contain the requested item.
        public static let noAnswer = Code("noAnswer")
        /// The query is invalid: a type, a pointer, a statement.
        public static let usage = Code("usage")
        /// The operating system denied permission.
        public static let noPermission = Code("noPermission")
        /// A file or folder could not be created.
        public static let cannotCreate = Code("cannotCreate")
    }

    /// The code.
    public let code: Code
    /// The reason, without a full stop.
    public let message: String
    /// The file or folder; `nil` if the message names it.
    public let subject: String?
    /// A hint, if one is available.
    public let suggestion: Suggestion?

    /// Creates an error.
    public init(
        _ code: Code, at subject: String? = nil, _ message: String, suggestion: String? = nil
    ) {
        self.code = code
        self.subject = subject
        self.message = message
        self.suggestion = suggestion.map { Suggestion($0) }
    }
}

extension CoreError: MessageError {
    /// The general kind of failure.
    public var category: ErrorCategory {
        switch code {
        case .notFound: .noSuchFile
        case .noAnswer: .noSuchItem
        case .usage: .invalidRequest
        case .noPermission: .noPermission
        case .cannotCreate: .cannotCreate
        default: .badData
        }
    }
}
