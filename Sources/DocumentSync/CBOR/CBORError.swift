/// The reason that bytes are not the expected CBOR.
public struct CBORError: Error, Sendable, CustomStringConvertible {
    /// A stable identifier of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The bytes end within a value.
        public static let truncated = Code("truncated")
        /// More bytes follow the value.
        public static let trailingBytes = Code("trailingBytes")
        /// A byte that starts no value, or a text that is not UTF-8.
        public static let malformed = Code("malformed")
        /// The nesting depth or the number of values exceeds the limits.
        public static let tooLarge = Code("tooLarge")
    }

    /// The kind of failure.
    public let code: Code
    /// The problem, as a clause without a full stop.
    public let message: String
    /// The offset of the byte where the problem was found.
    public let offset: Int

    init(_ code: Code, _ message: String, at offset: Int) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    public var description: String { "\(message) (at byte \(offset))" }
}
