import LosslessJSON

/// A reader that splits the array of servers in a JSON file into its elements, without holding the
/// file in memory.
///
/// The file is an object, and the array is one of its members. Elements are split off but not
/// parsed. A malformed element doesn't affect the others, as long as its brackets match.
struct RecordReader {
    /// An element's bytes, or a marker for an element that is too long.
    enum Record: Equatable {
        case bytes([UInt8])
        case tooLarge
    }

    /// The maximum number of bytes in a record.
    static let largestByteCount = 1024 * 1024
    private static let deepest = 512

    private enum Place {
        case beforeFile
        case inObject
        case inArray(isFirst: Bool)
        case afterFile
    }

    private static let key = "LogicalServers"

    private var stream: ByteStream
    private var place = Place.beforeFile
    private var hasSeenArray = false
    private var closers: [UInt8] = []

    init(_ stream: ByteStream) { self.stream = stream }

    /// Returns the next record, or `nil` after the last one, once the rest of the file has been
    /// checked.
    ///
    /// - Throws: ``ServerCatalogError`` with code `.badFile` if the file is not a JSON object, is
    ///   incomplete, or lacks the array.
    mutating func next() throws -> Record? {
        while true {
            switch place {
            case .beforeFile: try openFile()
            case .inObject: try readMember()
            case .inArray(let isFirst):
                if let record = try readElement(isFirst: isFirst) { return record }
            case .afterFile:
                guard try nextByte() == nil else { throw Self.bad("content follows its end") }
                guard hasSeenArray else { throw Self.bad("it has no array \(Self.key)") }
                return nil
            }
        }
    }

    private static func bad(_ reason: String) -> ServerCatalogError {
        ServerCatalogError(.badFile, "the file is invalid: \(reason)")
    }

    /// Returns the next byte that is not white space, without consuming it.
    private mutating func nextByte() throws -> UInt8? {
        while let byte = try stream.peek() {
            guard byte.isJSONSpace else { return byte }
            stream.advance()
        }
        return nil
    }

    private mutating func openFile() throws {
        if try stream.peek() == 0xEF {  // a byte order mark
            for expected in [0xEF, 0xBB, 0xBF] as [UInt8] {
                guard try stream.peek() == expected else { throw Self.bad("it is not JSON") }
                stream.advance()
            }
        }
        guard try nextByte() == UInt8(ascii: "{") else { throw Self.bad("it is not a JSON object") }
        stream.advance()
        place = .inObject
    }

    /// Reads a member of the outer object, up to the following comma or the start of the array.
    private mutating func readMember() throws {
        switch try nextByte() {
        case UInt8(ascii: "}"):
            stream.advance()
            place = .afterFile
            return
        case .quote: break
        case nil: throw Self.bad("it is incomplete")
        default: throw Self.bad("a key is missing")
        }
        var bytes: [UInt8] = []
        try copyValue(into: &bytes)
        guard try nextByte() == UInt8(ascii: ":") else { throw Self.bad("a colon is missing") }
        stream.advance()
        let first = try nextByte()
        if (try? RecordDecoder.parse(bytes)) == .string(Self.key) {
            guard first == UInt8(ascii: "[") else { throw Self.bad("\(Self.key) is not an array") }
            stream.advance()
            hasSeenArray = true
            place = .inArray(isFirst: true)
            return
        }
        bytes = []
        try copyValue(into: &bytes)
        try endMember()
    }

    private mutating func endMember() throws {
        switch try nextByte() {
        case UInt8(ascii: ","): stream.advance()
        case UInt8(ascii: "}"): break
        case nil: throw Self.bad("it is incomplete")
        default: throw Self.bad("a comma is missing")
        }
    }

    private mutating func readElement(isFirst: Bool) throws -> Record? {
        var byte = try nextByte()
        if !isFirst, byte == UInt8(ascii: ",") {
            stream.advance()
            byte = try nextByte()
        } else if !isFirst, byte != UInt8(ascii: "]"), byte != nil {
            throw Self.bad("a comma is missing")
        }
        if byte == UInt8(ascii: "]") {
            stream.advance()
            place = .inObject
            try endMember()
            return nil
        }
        place = .inArray(isFirst: false)
        var bytes: [UInt8] = []
        return try copyValue(into: &bytes) ? .bytes(bytes) : .tooLarge
    }

    /// Consumes a value and appends its bytes.
    ///
    /// - Returns: `false` if there were too many bytes. In that case, only some bytes are appended.
    @discardableResult
    private mutating func copyValue(into bytes: inout [UInt8]) throws -> Bool {
        closers.removeAll(keepingCapacity: true)
        var isInString = false
        var isEscaped = false
        var byteCount = 0
        while let byte = try stream.peek() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == .backslash {
                    isEscaped = true
                } else if byte == .quote {
                    isInString = false
                }
            } else {
                switch byte {
                case .quote: isInString = true
                case UInt8(ascii: "{"): closers.append(UInt8(ascii: "}"))
                case UInt8(ascii: "["): closers.append(UInt8(ascii: "]"))
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if closers.isEmpty { return try end(byteCount) }
                    guard closers.removeLast() == byte else {
                        throw Self.bad("its brackets don't match")
                    }
                case UInt8(ascii: ","), UInt8(ascii: ":"):
                    if closers.isEmpty { return try end(byteCount) }
                default:
                    if closers.isEmpty, byte.isJSONSpace { return try end(byteCount) }
                }
                guard closers.count <= Self.deepest else {
                    throw Self.bad("it is nested too deeply")
                }
            }
            if byteCount < Self.largestByteCount { bytes.append(byte) }
            byteCount += 1
            stream.advance()
            // A string or bracketed value ends with its own delimiter; other values end before the
            // next one.
            if !isInString, closers.isEmpty, [.quote, 0x7D, 0x5D].contains(byte) {
                return try end(byteCount)
            }
        }
        guard closers.isEmpty, !isInString else { throw Self.bad("it is incomplete") }
        return try end(byteCount)
    }

    private func end(_ byteCount: Int) throws -> Bool {
        guard byteCount > 0 else { throw Self.bad("a value is missing") }
        return byteCount <= Self.largestByteCount
    }
}

extension UInt8 {
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")

    fileprivate var isJSONSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
    }
}
