/// Writes JSON: brackets around what closures write, commas by itself.
///
/// Control characters are escaped, those of ISO 8859 included, so that the text is safe to print.
public struct JSONWriter: Sendable {
    /// How the text is broken into lines.
    public enum Layout: Sendable {
        /// On one line, without spaces.
        case compact
        /// One element a line, indented by two spaces.
        case indented
    }

    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    private let layout: Layout
    private var depth = 0
    /// Whether nothing is in the innermost array or object yet.
    private var isFirst = true
    private var followsKey = false

    /// A writer of an empty text. Write one value with it: an array, an object or a scalar.
    public init(_ layout: Layout = .compact) { self.layout = layout }

    /// What has been written, as text.
    ///
    /// - Complexity: O(*n*) in the number of bytes, each time.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// `text` as a JSON string, quotation marks included.
    public static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }

    /// Writes an object, whose members `body` writes, each a ``key(_:)`` and a value.
    ///
    /// - Throws: What `body` throws; the text is unfinished then.
    public mutating func object<Failure>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try wrap(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// Writes an array, whose elements `body` writes.
    ///
    /// - Throws: What `body` throws; the text is unfinished then.
    public mutating func array<Failure>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try wrap(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    /// Writes the name of the next member, quoted and escaped. A value has to follow.
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
    /// Writes all digits of an integer of any width; no reader that keeps digits loses any.
    public mutating func integer(_ value: some BinaryInteger) { verbatim(value.description) }

    /// Writes a number with a fraction or an exponent, by the shortest text that reads back as it;
    /// `{"$real": "nan"}`, `"inf"` or `"-inf"` for what JSON has no number for.
    public mutating func real(_ value: Double) {
        if value.isFinite { return verbatim(value.description) }
        form("$real", value.isNaN ? "nan" : value < 0 ? "-inf" : "inf")
    }

    /// Writes a string with its quotation marks. Control characters and marks of writing direction
    /// are escaped.
    ///
    /// - Complexity: O(*n*) in the number of UTF-8 bytes.
    public mutating func string(_ text: String) {
        begin()
        quote(text)
    }

    /// Writes an object of one member, which stands for what JSON lacks.
    public mutating func form(_ name: String, _ text: String) {
        begin()
        bytes.append(UInt8(ascii: "{"))
        quote(name)
        bytes.append(contentsOf: (layout == .indented ? ": " : ":").utf8)
        quote(text)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes what is JSON already.
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

    /// Writes what stands between a value and what comes before it.
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
            // What was looked at and is still to be copied begins here.
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

    /// The scalar at `index` where it is one that is escaped, and how many bytes it has; else how
    /// many bytes there is nothing to escape in.
    ///
    /// Besides those that JSON asks for, these are what would act on a terminal or turn the text
    /// around it: the controls U+0080 to U+009F (C2 80 to C2 9F), the marks and controls of writing
    /// direction, and the separators of lines.
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
