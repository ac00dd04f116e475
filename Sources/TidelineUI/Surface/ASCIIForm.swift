import Foundation
import TidelineCore

/// What is drawn for letters and signs where there is only ASCII.
enum ASCIIForm {
    /// A glyph like another; a question mark where there is none.
    static func glyph(of glyph: Glyph) -> Glyph {
        Glyph(letter(of: glyph.base) ?? "?", width: 1)
    }

    private static func letter(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if scalar.isASCII { return scalar }
        if let sign = signs[scalar] { return sign }
        // A letter with its marks, without these.
        let parts = String(Character(scalar)).decomposedStringWithCanonicalMapping.unicodeScalars
        return parts.first.flatMap { $0.isASCII ? $0 : nil }
    }

    private static let signs: [Unicode.Scalar: Unicode.Scalar] = [
        // Bars, and what leads elsewhere.
        "█": "#", "░": ".", "→": ">", "←": "<", "↑": "^", "↓": "v", "⇄": "=", "›": ">", "‹": "<",
        "▸": ">", "▾": "v",
        // The sign of a conflict.
        "≠": "#",
        // Of sentences.
        "…": "~", "“": "\"", "”": "\"", "„": "\"", "«": "\"", "»": "\"", "‘": "'", "’": "'",
        "‚": ",", "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "‒": "-", "\u{A0}": " ",
        "·": ".", "•": "*", "×": "x", "¡": "!", "¿": "?",
        // Letters that are not one with a mark.
        "ß": "s", "ø": "o", "Ø": "O", "æ": "a", "Æ": "A", "œ": "o", "Œ": "O", "ł": "l", "Ł": "L",
        "đ": "d", "Đ": "D", "ð": "d", "þ": "p", "ı": "i", "€": "E",
    ]
}
