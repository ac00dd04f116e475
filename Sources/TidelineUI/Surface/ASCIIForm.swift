import Foundation
import TidelineCore

/// Replacements for characters where only ASCII is available.
enum ASCIIForm {
    /// Returns a similar ASCII character, or a question mark.
    ///
    /// - Returns: The character, and whether it differs so much from the original that it must be
    ///   marked. Letters without their diacritics are marked. Straight quotation marks aren't.
    static func glyph(of glyph: Glyph) -> (Glyph, isMarked: Bool) {
        if let sign = signs[glyph.base] { return (Glyph(sign, width: 1), false) }
        return (Glyph(letter(of: glyph.base) ?? "?", width: 1), true)
    }

    private static func letter(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if scalar.isASCII { return scalar }
        if let letter = letters[scalar] { return letter }
        // A letter without its diacritics.
        let parts = String(Character(scalar)).decomposedStringWithCanonicalMapping.unicodeScalars
        return parts.first.flatMap { $0.isASCII && $0.properties.isAlphabetic ? $0 : nil }
    }

    private static let signs: [Unicode.Scalar: Unicode.Scalar] = [
        // Bars and arrows.
        "█": "#", "░": ".", "→": ">", "←": "<", "↑": "^", "↓": "v", "⇄": "=", "›": ">", "‹": "<",
        "▸": ">", "▾": "v",
        // The conflict symbol.
        "≠": "#",
        // Punctuation.
        "…": "~", "“": "\"", "”": "\"", "„": "\"", "«": "\"", "»": "\"", "‘": "'", "’": "'",
        "‚": ",", "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "‒": "-", "\u{A0}": " ",
        "·": ".", "•": "*", "×": "x", "¡": "!", "¿": "?",
    ]

    /// Letters that can't be decomposed into a base letter and diacritics.
    private static let letters: [Unicode.Scalar: Unicode.Scalar] = [
        "ß": "s", "ø": "o", "Ø": "O", "æ": "a", "Æ": "A", "œ": "o", "Œ": "O", "ł": "l", "Ł": "L",
        "đ": "d", "Đ": "D", "ð": "d", "þ": "p", "ı": "i",
    ]
}
