import Foundation
import TidelineCore

/// Replacements for characters where only ASCII is available.
enum ASCIIForm {
    /// Returns a similar ASCII character, or a question mark.
    static func glyph(of glyph: Glyph) -> Glyph {
        Glyph(letter(of: glyph.base) ?? "?", width: 1)
    }

    private static func letter(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if scalar.isASCII { return scalar }
        if let sign = signs[scalar] { return sign }
        // A letter without its diacritics.
        let parts = String(Character(scalar)).decomposedStringWithCanonicalMapping.unicodeScalars
        return parts.first.flatMap { $0.isASCII ? $0 : nil }
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
        // Letters that can't be decomposed into a base letter and diacritics.
        "ß": "s", "ø": "o", "Ø": "O", "æ": "a", "Æ": "A", "œ": "o", "Œ": "O", "ł": "l", "Ł": "L",
        "đ": "d", "Đ": "D", "ð": "d", "þ": "p", "ı": "i", "€": "E",
    ]
}
