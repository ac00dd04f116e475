/// Converts text to a visible form, without characters that could control the terminal or stay
/// invisible.
///
/// Control characters become pictures (`␛`, `␊`), or escapes (`\x9b`) if there is no picture.
/// Bidirectional controls and other invisible characters become escapes (`\u{202e}`). Joiners and
/// variation selectors are kept if they belong to the preceding script or emoji.
///
/// A surface of the screen sanitizes all text drawn on it. Only text for other destinations, such
/// as a log, needs this type.
public enum Sanitizer {
    /// Returns the visible form of a text.
    ///
    /// - Parameter ascii: Whether control characters become `\x1b` instead of a picture. Other
    ///   characters outside ASCII are kept.
    /// - Complexity: O(*n*); a clean ASCII text is returned unchanged.
    public static func visible(_ text: String, ascii: Bool = false) -> String {
        if cleanASCIICount(text) != nil { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count + 16)
        var context = Context()
        for scalar in text.unicodeScalars {
            if context.isVisible(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                appendForm(of: scalar, ascii: ascii, to: &result)
            }
        }
        return result
    }

    /// The state of the scan: the relevant preceding scalars.
    struct Context {
        private var previous: Unicode.Scalar?

        /// Returns whether a scalar can be kept after the preceding scalars.
        mutating func isVisible(_ scalar: Unicode.Scalar) -> Bool {
            let value = scalar.value
            defer { previous = scalar }
            if value < 0x7F { return value >= 0x20 }
            guard CharacterWidth.width(of: scalar) != nil else { return false }
            // Below the soft hyphen, only controls are invisible; the large blocks of letters and
            // symbols have no invisible characters.
            if value < 0xAD { return true }
            if (0x2100...0xD7FF).contains(value) && value != 0x3164 { return true }
            if value == 0x200C || value == 0x200D { return previous.map(takesJoiner) ?? false }
            if Self.isVariationSelector(value) { return previous.map(takesSelector) ?? false }
            if (0xFFF9...0xFFFB).contains(value) { return false }
            if (0xE0020...0xE007F).contains(value) { return previous.map(takesTag) ?? false }
            return !scalar.properties.isDefaultIgnorableCodePoint
        }

        static func isVariationSelector(_ value: UInt32) -> Bool {
            (0xFE00...0xFE0F).contains(value) || (0xE0100...0xE01EF).contains(value)
        }

        /// Returns whether a scalar can precede a joiner. Joiners shape letters in scripts of the
        /// Near East, South and Southeast Asia, and combine emoji.
        private func takesJoiner(_ scalar: Unicode.Scalar) -> Bool {
            let value = scalar.value
            if (0x0600...0x1CFF).contains(value) || (0xA800...0xABFF).contains(value) {
                return value != 0x180E && !(0x115F...0x1160).contains(value)
            }
            return value == 0xFE0F || value > 0xFF && scalar.properties.isEmoji
        }

        /// Returns whether a scalar can precede a variation selector. These are the characters that
        /// aren't ASCII, and the characters of keycaps.
        private func takesSelector(_ scalar: Unicode.Scalar) -> Bool {
            let value = scalar.value
            if value < 0x80 { return scalar.properties.isEmoji }
            return !Self.isVariationSelector(value)
                && !scalar.properties.isDefaultIgnorableCodePoint
        }

        /// Returns whether a scalar can precede a tag. Tags after a black flag name a flag.
        private func takesTag(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value == 0x1F3F4 || (0xE0020...0xE007E).contains(scalar.value)
        }
    }

    /// Appends the visible form of a scalar that can't be kept.
    static func appendForm(of scalar: Unicode.Scalar, ascii: Bool, to text: inout String) {
        let value = scalar.value
        if value < 0x20 || value == 0x7F, !ascii,
            let picture = Unicode.Scalar(value == 0x7F ? 0x2421 : 0x2400 + value)
        {
            text.unicodeScalars.append(picture)
        } else if value < 0xA0 {
            switch value {
            case 0x09: text += "\\t"
            case 0x0A: text += "\\n"
            case 0x0D: text += "\\r"
            default: text += (value < 0x10 ? "\\x0" : "\\x") + String(value, radix: 16)
            }
        } else {
            text += "\\u{" + String(value, radix: 16) + "}"
        }
    }

    /// Returns the length of a text that consists only of printable ASCII; `nil` for other texts.
    ///
    /// - Parameter limit: The maximum number of bytes to check. For a longer text, the result is
    ///   `limit` if these bytes are printable ASCII.
    package static func cleanASCIICount(_ text: String, limit: Int = .max) -> Int? {
        // The compiler vectorizes a loop over bytes that ends at the first invalid byte.
        let clean = text.utf8.withContiguousStorageIfAvailable { bytes in
            let bytes = bytes.prefix(limit)
            return bytes.allSatisfy { $0 &- 0x20 < 0x5F } ? bytes.count : nil
        }
        if let clean { return clean }
        let bytes = text.utf8.prefix(limit)
        return bytes.allSatisfy { $0 &- 0x20 < 0x5F } ? bytes.count : nil
    }

    /// Returns the part of a text that can be visible within a number of columns. A cluster counts
    /// as at most 64 bytes, so that the cost of a very long value depends only on its visible part.
    package static func bounded(_ text: String, columns: Int) -> Substring {
        bounded(text, bytes: (max(0, min(columns, 1 << 20)) + 4) * 64)
    }

    /// Returns the longest start of a text that has at most `limit` bytes and doesn't split a
    /// scalar.
    package static func bounded(_ text: String, bytes limit: Int) -> Substring {
        guard text.utf8.count > limit else { return text[...] }
        var index = text.utf8.index(text.startIndex, offsetBy: limit)
        while index > text.startIndex, index.samePosition(in: text.unicodeScalars) == nil {
            index = text.utf8.index(before: index)
        }
        return text[..<index]
    }
}
