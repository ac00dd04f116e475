import Foundation

/// The normalized form in which names are compared. It ignores case, accents and the width of East
/// Asian characters.
///
/// `Zürich`, `ZURICH` and `zurich` are equal. Letters that Unicode doesn't decompose, such as `ł`
/// and `ø`, become plain letters, which users type if their keyboard lacks the originals.
public enum TextFolding {
    /// Returns the text in lower case and without accents, canonically composed. Full-width and
    /// half-width characters get their usual width.
    ///
    /// - Complexity: O(*n*) in the length, and much faster for ASCII.
    public static func fold(_ text: String) -> String { fold(text, keepingCase: false) }

    /// Returns the text as ``fold(_:)`` does, but keeps the case if `keepingCase` is true.
    ///
    /// - Complexity: As ``fold(_:)``.
    package static func fold(_ text: String, keepingCase: Bool) -> String {
        var text = text
        guard text.withUTF8({ $0.allSatisfy { $0 < 0x80 } }) else {
            return foldUnicode(text, keepingCase: keepingCase)
        }
        guard !keepingCase else { return text }
        return text.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { output in
                for (index, byte) in bytes.enumerated() {
                    output[index] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                }
                return bytes.count
            }
        }
    }

    /// Returns whether folded `text` contains folded `part`, compared byte by byte as in the
    /// database.
    ///
    /// - Complexity: O(*n* *m*) in the lengths; intended for short texts such as names.
    public static func contains(_ text: String, _ part: String) -> Bool {
        let text = Array(text.utf8)
        let part = Array(part.utf8)
        if part.isEmpty { return true }
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }

    private static func foldUnicode(_ text: String, keepingCase: Bool) -> String {
        var options: String.CompareOptions = [.diacriticInsensitive, .widthInsensitive]
        if !keepingCase { options.insert(.caseInsensitive) }
        let folded = text.folding(options: options, locale: nil)
        var result = ""
        result.reserveCapacity(folded.utf8.count)
        for scalar in folded.unicodeScalars {
            if let plain = replacements[scalar] {
                result += plain
            } else if keepingCase, scalar.properties.isUppercase,
                let letter = scalar.properties.lowercaseMapping.unicodeScalars.first,
                let plain = replacements[letter]
            {
                result += plain.prefix(1).uppercased() + plain.dropFirst()
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result.precomposedStringWithCanonicalMapping
    }

    private static let replacements: [Unicode.Scalar: String] = [
        "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe",
        "þ": "th", "ß": "ss",
    ]
}
