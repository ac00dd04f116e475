/// Bytes that are not what the format says, or an edit that cannot be made.
///
/// The engine throws only this; `Document` turns it into the public errors.
struct FormatError: Error, CustomStringConvertible, Equatable {
    enum Code: Equatable {
        /// The bytes end before what they announce.
        case truncated
        /// A number that is too long, too large or longer than it needs to be.
        case badNumber
        /// No chunk begins here, or of no known type.
        case badChunk
        /// The checksum or a hash does not agree with the content.
        case badHash
        /// Columns that contradict each other or the format.
        case badColumn
        /// A DEFLATE stream that is broken.
        case badCompression
        /// More than this implementation reads; the limits are stated in `Limits`.
        case tooLarge
        /// An operation that names something that is not there.
        case badReference
        /// A value whose bytes do not fit its type.
        case badValue
        /// A sync message, sync state, cursor or object identifier that cannot be read.
        case badMessage
        /// An object identifier that leads to no object.
        case unknownObject
        /// An edit or read of an object of another type.
        case wrongObjectType
        /// An index beyond the end.
        case outOfRange
        /// An increment of what is not a counter.
        case notACounter
        /// A hash that is not that of any change here.
        case unknownChange
        /// A cursor that leads to no element of the list.
        case invalidCursor
        /// Another change with the actor and number of one that is there.
        case duplicateChange
    }

    let code: Code
    /// What failed and why, as one sentence without a full stop.
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { message }

    static let truncated = FormatError(.truncated, "the bytes end too early")
}

/// How much is read from untrusted bytes.
enum Limits {
    /// The most bytes that the compressed columns of a chunk of `length` bytes may inflate to: 64
    /// times its length in a small chunk, 64 MiB and four times its length in a large one.
    ///
    /// DEFLATE could make 1,032 bytes of one, which no document does.
    static func inflated(from length: Int) -> Int {
        min(16 << 20 + 64 * length, 64 << 20 + 4 * length)
    }

    /// The most values that the unknown columns of changes, or of operations, may have. Texts count
    /// as one value per 16 bytes.
    static func unknownValues(chunk: Int) -> Int { 1 << 18 + 8 * chunk }

    /// The longest single value in bytes.
    static let value = 1 << 28 - 1
    /// The most elements that the paths of a comparison's patches may have together. A document
    /// that is all nesting has a path as long as itself for each of its objects.
    static func pathElements(objects: Int) -> Int { 1 << 19 + 8 * objects }
    /// The most operations a document may hold.
    static let rows = 1 << 31 - 16
}
