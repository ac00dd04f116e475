public import Replication

/// Why bytes are not a property list, or a property list cannot be written.
public struct PropertyListError: Error, Hashable, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The bytes do not follow the form they should have.
        public static let malformed = Code("malformed")
        /// The form is followed, but holds something that no store value can be.
        public static let unsupported = Code("unsupported")
        /// Nested deeper than ``PropertyList/depthLimit``, or a container that holds itself.
        public static let tooDeep = Code("tooDeep")
        /// A few bytes that stand for very much more than they are, or a value that is too long to
        /// be read unasked.
        public static let tooLarge = Code("tooLarge")
    }

    /// The kind of failure, to switch on.
    public let code: Code
    /// What is wrong, as a clause without a full stop.
    public let message: String
    /// Where in the input, in bytes from its start, where that is known.
    public let offset: Int?

    /// An error of a kind, with what is wrong as a clause without a full stop.
    ///
    /// - Parameter offset: In bytes from the start of the input, where that is known.
    public init(_ code: Code, _ message: String, at offset: Int? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }
}

extension PropertyListError {
    init(leftInLog byteCount: Int) {
        self.init(.tooLarge, "its value of \(byteCount) bytes was left in the log")
    }
}

extension PropertyListError: ExplainedError {
    /// Always damaged data.
    public var kind: FailureKind { .badData }
    /// The message, with the place in the input where it is known.
    public var reason: String { description }
}

extension PropertyListError: CustomStringConvertible {
    public var description: String { offset.map { "\(message) (at byte \($0))" } ?? message }
}
