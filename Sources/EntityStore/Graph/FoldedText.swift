import Foundation

/// Text in the form that searches compare: without case and accents.
enum FoldedText {
    static func fold(_ text: String) -> [UInt8] {
        var text = text
        let ascii: [UInt8]? = text.withUTF8 { fold($0) }
        if let ascii { return ascii }
        return Array(
            text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).utf8)
    }

    /// Folds bytes that are all ASCII; otherwise returns `nil`.
    private static func fold(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var all: UInt8 = 0
        for byte in text { all |= byte }
        guard all < 0x80 else { return nil }
        return text.map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
    }

    static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        guard text.count >= part.count else { return false }
        for start in 0...(text.count - part.count) where text[start] == first {
            if text[start..<start + part.count].elementsEqual(part) { return true }
        }
        return false
    }

    /// Returns the words of folded text: runs of letters, digits and non-ASCII bytes.
    static func words(_ folded: [UInt8]) -> [ArraySlice<UInt8>] {
        folded.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                0x80...0xFF, UInt8(ascii: "A")...UInt8(ascii: "Z"):
                false
            default: true
            }
        }
    }
}
