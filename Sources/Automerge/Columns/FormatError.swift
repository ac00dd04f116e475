/// Bytes that violate the format, or an edit that can't be made.
///
/// The engine throws only this error. `Document` converts it to the public errors.
struct FormatError: Error, CustomStringConvertible, Equatable {
    enum Code: Equatable {
        /// Bytes that end too early.
        case truncated
        /// A number that is too long, too large or longer than necessary.
        case badNumber
        /// A missing chunk header, or a chunk of an unknown type.
        case badChunk
        /// A checksum or hash that doesn't match the content.
        case badHash
        /// Columns that contradict each other or the format.
        case badColumn
        /// A DEFLATE stream that is damaged.
        case badCompression
        /// Input beyond the limits of this implementation, which are listed in `Limits`.
        case tooLarge
        /// An operation that refers to an element, object or operation that doesn't exist.
        case badReference
        /// A value whose bytes don't match its type.
        case badValue
        /// A sync message, sync state, cursor or object identifier that can't be read.
        case badMessage
        /// An object identifier that doesn't match any object.
        case unknownObject
        /// An edit or read of an object of another type.
        case wrongObjectType
        /// An index beyond the end.
        case outOfRange
        /// An increment of a value that is not a counter.
        case notACounter
        /// A hash that doesn't match any change in the document.
        case unknownChange
        /// A cursor that doesn't match any element of the list.
        case invalidCursor
        /// A change with the same actor and number as another change.
        case duplicateChange
    }

    let code: Code
    /// The failure and its cause, as one sentence without a full stop.
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { message }

    static let truncated = FormatError(.truncated, "the bytes end too early")
}

/// Limits for reading untrusted bytes.
enum Limits {
    /// Returns the maximum number of bytes to which the columns of a chunk of `length` bytes may
    /// inflate. Small chunks may inflate to 16 MiB plus 64 times their length, and large chunks to
    /// 64 MiB plus four times their length.
    ///
    /// DEFLATE can expand one byte to 1,032 bytes, far more than any real document needs.
    static func inflated(from length: Int) -> Int {
        min(16 << 20 + 64 * length, 64 << 20 + 4 * length)
    }

    /// Returns the maximum number of values in the unknown columns of changes or of operations, for
    /// a chunk of `chunk` bytes. Every 16 bytes of a text count as one more value.
    static func unknownValues(chunk: Int) -> Int { 1 << 18 + 8 * chunk }

    /// The maximum size of a single value in bytes.
    static let value = 1 << 28 - 1
    /// Returns the maximum total number of path elements in the patches of a comparison. In a
    /// deeply nested document, the path of every object can be as long as the document.
    static func pathElements(objects: Int) -> Int { 1 << 19 + 8 * objects }
    /// The maximum number of operations in a document.
    static let rows = 1 << 31 - 16
}
