/// A writer for JSON. Closures write the content of arrays and objects, and the writer inserts
/// brackets and commas.
///
/// Control characters are escaped, including U+0080 to U+009F, so that the text is safe to print.
public struct JSONWriter: Sendable {
    /// The layout of lines.
    public enum Layout: Sendable {
        /// On one line, without spaces.
        case compact
        /// One element per line, indented by two spaces.
        case indented
    }

    /// The text so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    private let layout: Layout
    private var depth = 0
    /// Whether the innermost array or object is still empty.
    private var isFirst = true
    private var followsKey = false

    /// Creates a writer. Write one value with it: an array, an object or a scalar.
    public init(_ layout: Layout = .compact) { self.layout = layout }

    /// The text so far.
    ///
    /// - Complexity: O(*n*) in the number of bytes, for each access.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns `text` as a JSON string, including the quotation marks.
    public static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }

    /// Writes an object. `body` writes its members, each with ``key(_:)`` and a value.
    ///
    /// - Throws: The error of `body`; then the text is incomplete.
    public mutating func object<Failure>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try wrap(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// Writes an array. `body` writes its elements.
    ///
    /// - Throws: The error of `body`; then the text is incomplete.
    public mutating func array<Failure>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try wrap(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    /// Writes the name of the next member, quoted and escaped. Write its value next.
    public mutating func key(_ key: String) {
        separate()
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        if layout == .indented { bytes.append(UInt8(ascii: " ")) }
        followsKey = true
    }

    /// Writes `null`.
    public mutating func null() { verbatim("null") }
    /// Writes `true` or `false`.
    public mutating func boolean(_ value: Bool) { verbatim(value ? "true" : "false") }
    /// Writes all digits of an integer of any width. Parsers that preserve digits read it back
    /// exactly.
    public mutating func integer(_ value: some BinaryInteger) { verbatim(value.description) }

    /// Writes a number with a fraction or an exponent, in the shortest form that reads back as the
    /// same value. Numbers that JSON can't represent are written as `{"$real": "nan"}`, `"inf"` or
    /// `"-inf"`.
    public mutating func real(_ value: Double) {
        if value.isFinite { return verbatim(value.description) }
        tagged(.real, JSONTag.text(for: value))
    }

    /// Writes a string with its quotation marks. Control characters and bidirectional marks are
    /// escaped.
    ///
    /// - Complexity: O(*n*) in the number of UTF-8 bytes.
    public mutating func string(_ text: String) {
        begin()
        quote(text)
    }

    /// Writes an object with one member, to represent a value that JSON lacks.
    public mutating func form(_ name: String, _ text: String) {
        begin()
        bytes.append(UInt8(ascii: "{"))
        quote(name)
        bytes.append(contentsOf: (layout == .indented ? ": " : ":").utf8)
        quote(text)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes a value. Numbers keep their spelling, and members their order. An object that
    /// represents a text, date or other value that JSON lacks stays on one line.
    public mutating func json(_ value: JSON) {
        switch value {
        case .null: null()
        case .boolean(let truth): boolean(truth)
        case .number(let digits): verbatim(digits)
        case .string(let text): string(text)
        case .array(let elements): array { for element in elements { $0.json(element) } }
        case .object(let members):
            if let (tag, content) = value.tagged, case .string(let text) = content {
                return tagged(tag, text)
            }
            object {
                for member in members {
                    $0.key(member.name)
                    $0.json(member.value)
                }
            }
        }
    }

    /// Writes text that is already valid JSON.
    public mutating func verbatim(_ json: String) {
        begin()
        bytes.append(contentsOf: json.utf8)
    }

    // MARK: Between values

    private mutating func wrap<Failure>(
        _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin()
        bytes.append(open)
        depth += 1
        isFirst = true
        try body(&self)
        depth -= 1
        if !isFirst { breakLine() }
        isFirst = false
        bytes.append(close)
    }

    /// Writes the separator before a value.
    private mutating func begin() {
        if followsKey {
            followsKey = false
        } else if depth > 0 {
            separate()
        }
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        breakLine()
    }

    private mutating func breakLine() {
        guard layout == .indented else { return }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: depth * 2))
    }

    // MARK: Strings

    private mutating func quote(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            // The start of the bytes that were scanned but not copied yet.
            var start = 0
            var index = 0
            while index < utf8.count {
                let byte = utf8[index]
                if byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\")
                {
                    index += 1
                    continue
                }
                let (scalar, length) = Self.escaped(utf8, at: index)
                if let scalar {
                    bytes.append(contentsOf: utf8[start..<index])
                    escape(scalar)
                    start = index + length
                }
                index += length
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the scalar at `index`, or `nil` if it doesn't need to be escaped. In both cases,
    /// also returns the number of bytes that the scalar takes.
    ///
    /// In addition to the characters that JSON escapes, this method escapes characters that affect
    /// a terminal or reorder the surrounding text: the controls U+0080 to U+009F (C2 80 to C2 9F),
    /// bidirectional marks and controls, and line separators.
    private static func escaped(
        _ utf8: UnsafeBufferPointer<UInt8>, at index: Int
    ) -> (UInt16?, length: Int) {
        func next(_ offset: Int) -> UInt8 {
            index + offset < utf8.count ? utf8[index + offset] : 0
        }
        let byte = utf8[index]
        switch byte {
        case ..<0x80: return (UInt16(byte), 1)
        case 0xC2 where next(1) < 0xA0: return (UInt16(next(1)), 2)
        case 0xD8 where next(1) == 0x9C: return (0x061C, 2)
        case 0xE2 where next(1) == 0x80:
            switch next(2) {
            case 0x8E, 0x8F, 0xA8...0xAE: return (0x2000 + UInt16(next(2) - 0x80), 3)
            default: return (nil, 3)
            }
        case 0xE2 where next(1) == 0x81:
            switch next(2) {
            case 0xA6...0xA9: return (0x2040 + UInt16(next(2) - 0x80), 3)
            default: return (nil, 3)
            }
        default: return (nil, byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4)
        }
    }

    private mutating func escape(_ scalar: UInt16) {
        switch scalar {
        case 0x22: bytes.append(contentsOf: "\\\"".utf8)
        case 0x5C: bytes.append(contentsOf: "\\\\".utf8)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        default:
            let digits = String(scalar, radix: 16)
            bytes.append(contentsOf: "\\u".utf8)
            bytes.append(contentsOf: repeatElement(0x30, count: 4 - digits.count))
            bytes.append(contentsOf: digits.utf8)
        }
    }
}
