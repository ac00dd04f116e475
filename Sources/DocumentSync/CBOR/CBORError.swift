/// Why bytes are not the CBOR that was expected.
public struct CBORError: Error, Sendable, CustomStringConvertible {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The bytes end within a value.
        public static let truncated = Code("truncated")
        /// Bytes follow the value.
        public static let trailingBytes = Code("trailingBytes")
        /// Bytes that no value begins with, or text that is not UTF-8.
        public static let malformed = Code("malformed")
        /// Nested deeper, or of more values, than the limits allow.
        public static let tooLarge = Code("tooLarge")
    }

    public let code: Code
    /// What is wrong, as a clause without a full stop.
    public let message: String
    /// The byte at which it was found.
    public let offset: Int

    init(_ code: Code, _ message: String, at offset: Int) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    public var description: String { "\(message) (at byte \(offset))" }
}
