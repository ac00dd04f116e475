/// One row of a file with delimited fields.
struct DelimitedRecord {
    struct Field {
        /// The range in ``DelimitedRecord/bytes``.
        var range: Range<Int>
        var isQuoted: Bool
        var place: ImportPlace
    }

    /// The contents of all fields, without delimiters and quotation marks.
    fileprivate(set) var bytes: [UInt8] = []
    fileprivate(set) var fields: [Field] = []

    func text(_ field: Field) throws(TablesError) -> String {
        guard let text = String(validating: bytes[field.range], as: UTF8.self) else {
            throw field.place.error("the text isn't UTF-8")
        }
        return text
    }

    fileprivate mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }
}

/// A parser for CSV as described by RFC 4180, and for TSV, which has tabs instead of commas.
///
/// It takes the file in pieces and keeps one row in memory.
struct DelimitedText {
    private enum State { case fieldStart, plain, quoted, quoteInQuoted }

    private let delimiter: UInt8
    private let rowLimit: Int
    private var state = State.fieldStart
    private var record = DelimitedRecord()
    private var place = ImportPlace()
    private var start = 0
    private var fieldPlace = ImportPlace()
    private var followsReturn = false
    private var mark = ByteOrderMark()

    private static let quote = UInt8(ascii: "\"")
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Creates a parser.
    ///
    /// - Parameter rowLimit: The maximum number of bytes of one row.
    init(delimiter: UInt8, rowLimit: Int = ImportPlace.rowLimit) {
        (self.delimiter, self.rowLimit) = (delimiter, rowLimit)
    }

    /// Reads the next piece of the file and calls `body` with each complete row.
    mutating func read(
        _ piece: UnsafeRawBufferPointer, _ body: (DelimitedRecord) throws -> Void
    ) throws {
        var next = try mark.prefix(of: piece)
        while next < piece.count {
            let end = plainEnd(piece, next)
            if end > next {
                try append(UnsafeRawBufferPointer(rebasing: piece[next..<end]))
                next = end
            }
            guard next < piece.count else { break }
            try take(piece[next], body)
            next += 1
        }
    }

    /// Reads the end of the file, which completes a row without a line ending.
    mutating func end(_ body: (DelimitedRecord) throws -> Void) throws {
        switch state {
        case .quoted: throw fieldPlace.error("the quotation mark is never closed")
        case .fieldStart where record.fields.isEmpty: return
        default: try endRecord(body)
        }
    }

    /// Returns the index of the first byte from `next` on that may be special in this state.
    private func plainEnd(_ piece: UnsafeRawBufferPointer, _ next: Int) -> Int {
        var end = next
        switch state {
        case .plain:
            while end < piece.count, piece[end] != delimiter, piece[end] != Self.newline,
                piece[end] != Self.carriageReturn
            {
                end += 1
            }
        case .quoted:
            while end < piece.count, piece[end] != Self.quote, piece[end] != Self.newline {
                end += 1
            }
        case .fieldStart, .quoteInQuoted: break
        }
        return end
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        try requireRoom(for: bytes.count)
        record.bytes.append(contentsOf: bytes)
        place.column += bytes.count
    }

    private mutating func append(_ byte: UInt8) throws {
        try requireRoom(for: 1)
        record.bytes.append(byte)
    }

    private func requireRoom(for byteCount: Int) throws(TablesError) {
        guard record.bytes.count + byteCount <= rowLimit else {
            throw fieldPlace.error("the row is longer than \(rowLimit) bytes")
        }
    }

    private mutating func take(
        _ byte: UInt8, _ body: (DelimitedRecord) throws -> Void
    ) throws {
        if followsReturn {
            followsReturn = false
            if byte == Self.newline { return }
        }
        switch state {
        case .fieldStart where byte == Self.quote:
            beginField()
            state = .quoted
        case .fieldStart, .plain, .quoteInQuoted:
            if state == .fieldStart { beginField() }
            switch byte {
            case delimiter:
                try endField()
            case Self.newline, Self.carriageReturn:
                followsReturn = byte == Self.carriageReturn
                try endRecord(body)
                (place.line, place.column) = (place.line + 1, 1)
                return
            case Self.quote where state == .quoteInQuoted:
                try append(byte)
                state = .quoted
            default:
                if state == .quoteInQuoted {
                    throw place.error("text follows a closing quotation mark")
                }
                try append(byte)
                state = .plain
            }
        case .quoted:
            if byte == Self.quote { state = .quoteInQuoted } else { try append(byte) }
        }
        place.pass(byte)
    }

    private mutating func beginField() {
        (start, fieldPlace) = (record.bytes.count, place)
    }

    private mutating func endField() throws(TablesError) {
        if state == .fieldStart { beginField() }
        guard record.fields.count < ImportPlace.columnLimit else {
            throw fieldPlace.error("the row has more than \(ImportPlace.columnLimit) fields")
        }
        record.fields.append(
            .init(
                range: start..<record.bytes.count, isQuoted: state == .quoteInQuoted,
                place: fieldPlace))
        state = .fieldStart
    }

    private mutating func endRecord(_ body: (DelimitedRecord) throws -> Void) throws {
        try endField()
        try body(record)
        record.clear()
    }
}
