/// Writes JSON text piece by piece: the caller sets the brackets, the writer quotes.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []

    mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): raw("\\\"")
            case UInt8(ascii: "\\"): raw("\\\\")
            case 0x0A: raw("\\n")
            case 0x0D: raw("\\r")
            case 0x09: raw("\\t")
            case 0..<0x20, 0x7F:
                let digits = String(byte, radix: 16)
                raw(digits.count == 1 ? "\\u000" : "\\u00")
                raw(digits)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A finite number with a decimal point or an exponent, so that it reads as a double again.
    mutating func double(_ value: Double) { raw(value.description) }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
