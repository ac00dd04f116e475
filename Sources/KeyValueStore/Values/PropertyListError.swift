import LosslessJSON
public import Replication

/// An error of reading or writing a property list.
public struct PropertyListError: Error, Hashable, Sendable {
    /// A stable name for the kind of failure. New codes can be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The bytes don't follow the format.
        public static let malformed = Code("malformed")
        /// The bytes follow the format but contain something that values don't support.
        public static let unsupported = Code("unsupported")
        /// The value is nested deeper than ``PropertyList/depthLimit``, or a container contains
        /// itself.
        public static let tooDeep = Code("tooDeep")
        /// A few bytes that would expand far beyond their size, or a value that stays in its log
        /// because it is too long.
        public static let tooLarge = Code("tooLarge")
    }

    /// A place in a text.
    public struct Position: Hashable, Sendable {
        /// The line number, starting from 1.
        public let line: Int
        /// The column number in Unicode scalars, starting from 1.
        public let column: Int
    }

    /// The kind of failure.
    public let code: Code
    /// The problem, as a clause without a full stop.
    public let message: String
    /// The offset in the input, in bytes, if known.
    public let offset: Int?
    /// The place in the input, if it is JSON.
    public let position: Position?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at offset: Int? = nil) {
        self.init(code, message, at: offset, position: nil)
    }

    init(_ code: Code, _ message: String, at offset: Int?, position: Position?) {
        self.code = code
        self.message = message
        self.offset = offset
        self.position = position
    }
}

extension PropertyListError {
    /// Creates the error of JSON, by default with its own message.
    init(_ error: TreeJSONError, _ message: String? = nil) {
        let code: Code =
            switch error.problem {
            case .malformed: .malformed
            case .unsupported: .unsupported
            case .tooDeep: .tooDeep
            }
        self.init(
            code, message ?? error.message, at: error.syntax?.offset,
            position: error.syntax.map { Position(line: $0.line, column: $0.column) })
    }

    init(leftInLog byteCount: Int) {
        self.init(.tooLarge, "its value of \(byteCount.grouped) bytes was not loaded from the log")
    }
}

extension PropertyListError: ExplainedError {
    /// The category, which is always damaged data.
    public var category: ErrorCategory { .badData }
    /// The message, with the offset in the input if known.
    public var reason: String {
        if let position {
            return "\(message) (line \(position.line), column \(position.column))"
        }
        return offset.map { "\(message) (at byte \($0))" } ?? message
    }
}
