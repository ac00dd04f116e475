import Testing

@testable import TidelineCore

/// Escaping of control characters and invisible characters.
@Suite struct SanitizerTests {
    @Test(arguments: [
        ("clean text", "clean text"), ("日本語 é", "日本語 é"),
        ("\u{1B}]0;x\u{07}", "␛]0;x␇"), ("a\r\n\tb", "a␍␊␉b"), ("\u{00}\u{7F}", "␀␡"),
        ("\u{9D}0;x\u{9C}", "\\x9d0;x\\x9c"), ("user\u{202E}txt", "user\\u{202e}txt"),
        ("pay\u{200B}pal", "pay\\u{200b}pal"), ("a\u{200D}", "a\\u{200d}"),
        ("👩‍💻❤️", "👩‍💻❤️"), ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}"),
        ("می\u{200C}خواهم", "می\u{200C}خواهم"),
        ("😀\u{FE0F}\u{FE01}", "😀\u{FE0F}\\u{fe01}"), ("x\u{E0041}", "x\\u{e0041}"),
        ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"), ("\u{3164}", "\\u{3164}"),
    ])
    func controlAndInvisibleCharactersAreShown(_ text: String, _ visible: String) {
        let result = Sanitizer.visible(text)
        #expect(Array(result.unicodeScalars) == Array(visible.unicodeScalars))
    }

    @Test func asciiModeEscapesControlCharacters() {
        #expect(
            Sanitizer.visible("\u{1B}[m\t\n\r\u{07}\u{7F}é", ascii: true)
                == "\\x1b[m\\t\\n\\r\\x07\\x7fé")
    }

    @Test func visibleFormIsStable() {
        for value in UInt32(0)..<0x3000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let once = Sanitizer.visible("x\(Character(scalar))")
            #expect(Sanitizer.visible(once) == once)
        }
    }
}
