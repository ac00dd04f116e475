public import Replication

/// An error in a theme or in loading one.
public struct ThemeError: Error, Hashable, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The theme doesn't exist.
        public static let notFound = Code("notFound")
        /// The file can't be read.
        public static let unreadable = Code("unreadable")
        /// The file isn't YAML, or contains an invalid setting.
        public static let invalid = Code("invalid")
    }

    /// The code.
    public let code: Code
    /// The failure and its reason, with file and line, as one sentence without a full stop.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ThemeError: MessageError {
    /// The general kind of failure.
    public var category: ErrorCategory {
        switch code {
        case .notFound: .invalidRequest
        default: .badData
        }
    }
}
