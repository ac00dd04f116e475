/// JSON being written: members of one object after the other, as text.
///
/// Keys are written in the order of the calls; who wants them sorted calls in that order.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes an object whose members `body` writes.
    mutating func object(_ body: (inout JSONText) -> Void) { wrap("{", "}", body) }

    /// Writes an array whose elements `body` writes, each after ``separate()``.
    mutating func array(_ body: (inout JSONText) -> Void) { wrap("[", "]", body) }

    /// Writes the comma that the next member or element needs.
    mutating func separate() {
        if let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") {
            bytes.append(UInt8(ascii: ","))
        }
    }

    mutating func key(_ key: String) {
        separate()
        value(key)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a member; nothing for `nil`.
    mutating func member(_ key: String, _ text: String?) {
        guard let text else { return }
        self.key(key)
        value(text)
    }

    mutating func member(_ key: String, _ number: Int) {
        self.key(key)
        value(number)
    }

    /// Writes a number; zero for what JSON has none for.
    mutating func member(_ key: String, _ number: Double) {
        self.key(key)
        bytes.append(contentsOf: (number.isFinite ? number : 0).description.utf8)
    }

    mutating func value(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }

    mutating func value(_ text: String) {
        bytes.append(.quote)
        for byte in text.utf8 {
            switch byte {
            case .quote, .backslash: bytes.append(contentsOf: [.backslash, byte])
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: digits.utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(.quote)
    }

    private mutating func wrap(_ open: String, _ close: String, _ body: (inout JSONText) -> Void) {
        bytes.append(contentsOf: open.utf8)
        body(&self)
        bytes.append(contentsOf: close.utf8)
    }
}
