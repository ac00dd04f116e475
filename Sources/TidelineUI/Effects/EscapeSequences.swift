/// The control sequences with which programs color their output and move the cursor.
enum EscapeSequences {
    private static let escape: UInt8 = 0x1B

    /// Returns a text without its complete escape sequences.
    ///
    /// - Complexity: O(*n*). A sequence ends at the next escape character or line at the latest.
    static func removed(from bytes: [UInt8]) -> String {
        guard bytes.contains(escape) else { return String(decoding: bytes, as: UTF8.self) }
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.first {
            if byte == escape, let end = end(ofSequenceAtStart: rest) {
                rest = rest[end...]
            } else {
                kept.append(byte)
                rest.removeFirst()
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Returns the end of the sequence at the start of a text; `nil` if it isn't complete.
    private static func end(ofSequenceAtStart bytes: ArraySlice<UInt8>) -> Int? {
        let body = bytes.dropFirst()
        switch body.first {
        case UInt8(ascii: "["):
            let rest = body.dropFirst().drop { (0x20...0x3F).contains($0) }
            guard let last = rest.first, (0x40...0x7E).contains(last) else { return nil }
            return rest.startIndex + 1
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
            UInt8(ascii: "_"):
            // A string, such as a title or a link. A bell or `ESC \` ends it.
            let rest = body.drop { $0 >= 0x20 }
            if rest.first == 0x07 { return rest.startIndex + 1 }
            guard rest.starts(with: [escape, UInt8(ascii: "\\")]) else { return nil }
            return rest.startIndex + 2
        default:
            let rest = body.drop { (0x20...0x2F).contains($0) }
            guard let last = rest.first, (0x30...0x7E).contains(last) else { return nil }
            return rest.startIndex + 1
        }
    }
}
