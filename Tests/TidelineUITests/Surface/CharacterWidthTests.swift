import Testing

@testable import TidelineCore
@testable import TidelineUI

/// The width of text in columns, and the replacements for clusters that terminals measure
/// differently.
@Suite struct CharacterWidthTests {
    struct Shown: Sendable {
        var text: String
        var width: Int
        /// The text that is drawn instead of `text`.
        var drawn: String
        init(_ text: String, _ width: Int, _ drawn: String? = nil) {
            self.text = text
            self.width = width
            self.drawn = drawn ?? text
        }
    }

    @Test(arguments: [
        Shown("", 0), Shown("abc", 3), Shown("日本", 4), Shown("ﾊﾝ", 2), Shown("한", 2),
        Shown("e\u{301}", 1), Shown("😀", 2), Shown("❤️", 1, "❤"), Shown("👋🏽", 2, "👋"),
        Shown("👩‍💻", 4, "👩💻"), Shown("🇩🇪", 2, "🄳🄴"), Shown("1️⃣", 1, "1\u{20E3}"),
        Shown("\u{301}", 1, "\u{25CC}\u{301}"), Shown("\u{1B}[m", 3, "␛[m"),
        Shown("\u{7F}", 1, "␡"), Shown("\u{9B}", 4, "\\x9b"),
        Shown("a\u{200D}b", 10, "a\\u{200d}b"),
        Shown("\u{202E}", 8, "\\u{202e}"), Shown("\u{2028}", 8, "\\u{2028}"),
        Shown("\u{AD}", 6, "\\u{ad}"), Shown("\u{378}", 7, "\\u{378}"), Shown("\u{E000}", 1),
        Shown("x\u{300}\u{301}\u{302}\u{303}\u{304}", 1, "x\u{300}\u{301}\u{302}\u{303}"),
        Shown("\u{1F3FD}", 2), Shown("\u{FEFF}a", 9, "\\u{feff}a"),
    ])
    func textWidthMatchesTheDrawnText(_ shown: Shown) {
        #expect(CharacterWidth.width(of: shown.text) == shown.width)
        #expect(shown.text.reduce(0) { $0 + CharacterWidth.width(of: $1) } == shown.width)
        #expect(!CharacterWidth.exceeds(shown.text, columns: shown.width))
        #expect(shown.width == 0 || CharacterWidth.exceeds(shown.text, columns: shown.width - 1))
        var surface = Surface(size: Size(columns: 20, rows: 1))
        #expect(surface.put(shown.text, at: .zero) == shown.width)
        #expect(Array(surface.line(0).unicodeScalars) == Array(shown.drawn.unicodeScalars))
    }

    @Test func asciiIsOneColumnWide() {
        for value in UInt8(0x20)..<0x7F {
            #expect(CharacterWidth.width(of: Character(Unicode.Scalar(value))) == 1)
        }
    }

    /// Every drawn character has a width, and none is invisible or a control character.
    @Test func anyCharacterIsDrawnSafely() {
        var surface = Surface(size: Size(columns: 12, rows: 1))
        for value in UInt32(0)..<0x30000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            surface.fill(surface.bounds)
            surface.put("\(Character(scalar))", at: .zero)
            for cell in surface.row(0) where cell.width > 0 {
                for drawn in [cell.glyph.base] + cell.glyph.marks {
                    let isSafe =
                        drawn.value >= 0x20 && !(0x7F..<0xA0).contains(drawn.value)
                        && CharacterWidth.width(of: drawn) != nil
                        && drawn.properties.generalCategory != .lineSeparator
                        && !(0x202A...0x202E).contains(drawn.value)
                        && !(0x2066...0x2069).contains(drawn.value)
                    #expect(isSafe, "U+\(String(value, radix: 16))")
                }
            }
        }
    }
}
