import TestSupport
import Testing
import TidelineUI

@testable import TidelineTerminal

/// Decoding of terminal input.
@Suite struct InputDecoderTests {
    /// Bytes and the keys that they decode to.
    struct Typed: Sendable, CustomTestStringConvertible {
        var bytes: String
        var keys: [Key]
        init(_ bytes: String, _ keys: Key...) {
            self.bytes = bytes
            self.keys = keys
        }
        var testDescription: String { bytes.debugDescription }
    }

    static let sequences = [
        Typed("a", .character("a")), Typed("A", .character("A")),
        Typed("ab", .character("a"), .character("b")),
        Typed("\r", Key(.enter)), Typed("\t", Key(.tab)), Typed("\u{7F}", Key(.backspace)),
        Typed("\u{01}", .character("a", .control)), Typed("\n", .character("j", .control)),
        Typed("\u{00}", .character(" ", .control)), Typed("\u{1F}", .character("_", .control)),
        Typed("\u{1B}[A", Key(.up)), Typed("\u{1B}OA", Key(.up)),
        Typed("\u{1B}[1;5C", Key(.right, .control)),
        Typed("\u{1B}[1;2D", Key(.left, .shift)),
        Typed("\u{1B}[1;8B", Key(.down, [.shift, .alt, .control])),
        Typed("\u{1B}[a", Key(.up, .shift)), Typed("\u{1B}\u{1B}[A", Key(.up, .alt)),
        Typed("\u{1B}[H", Key(.home)), Typed("\u{1B}[1~", Key(.home)),
        Typed("\u{1B}[7~", Key(.home)), Typed("\u{1B}OF", Key(.end)),
        Typed("\u{1B}[5~", Key(.pageUp)), Typed("\u{1B}[6;5~", Key(.pageDown, .control)),
        Typed("\u{1B}[2~", Key(.insert)), Typed("\u{1B}[3;2~", Key(.delete, .shift)),
        Typed("\u{1B}[3$", Key(.delete, .shift)), Typed("\u{1B}[3^", Key(.delete, .control)),
        Typed("\u{1B}[Z", Key(.backTab)), Typed("\u{1B}[27;2;9~", Key(.backTab)),
        Typed("\u{1B}OP", Key(.function(1))), Typed("\u{1B}[[A", Key(.function(1))),
        Typed("\u{1B}[15~", Key(.function(5))), Typed("\u{1B}[24~", Key(.function(12))),
        Typed("\u{1B}[1;2P", Key(.function(1), .shift)),
        Typed("\u{1B}a", .character("a", .alt)), Typed("\u{1B}é", .character("é", .alt)),
        Typed("\u{1B}\u{01}", .character("a", [.alt, .control])),
        Typed("\u{1B}\r", Key(.enter, .alt)), Typed("\u{1B}\u{7F}", Key(.backspace, .alt)),
        Typed("\u{1B}OM", Key(.enter)), Typed("\u{1B}Oq", .character("1")),
        Typed("\u{1B}[97;5u", .character("a", .control)),
        Typed("\u{1B}[97;2u", .character("A")), Typed("\u{1B}[13;2u", Key(.enter, .shift)),
        Typed("\u{1B}[27u", Key(.escape)),
        Typed("é", .character("é")), Typed("日本", .character("日"), .character("本")),
        Typed("e\u{301}", .character("e\u{301}")), Typed("👩‍💻", .character("👩‍💻")),
    ]

    private func keys(_ events: [InputDecoder.Event]) -> [Key] {
        events.compactMap { event in
            if case .input(.key(let key)) = event { key } else { nil }
        }
    }

    @Test(arguments: sequences) func bytesDecodeToKeys(_ typed: Typed) {
        var decoder = InputDecoder()
        #expect(keys(decoder.feed(Array(typed.bytes.utf8))) == typed.keys)
        #expect(decoder.patience == .none)
    }

    @Test(
        arguments: sequences.filter {
            $0.keys.count == $0.bytes.unicodeScalars.count || $0.bytes.utf8.first == 0x1B
        })
    func bytesOneByOneAreTheSameKeys(_ typed: Typed) {
        var decoder = InputDecoder()
        var events: [InputDecoder.Event] = []
        for byte in typed.bytes.utf8 { events += decoder.feed([byte]) }
        #expect(keys(events) == typed.keys)
    }

    @Test func loneEscapeBecomesTheEscapeKeyAfterATimeout() {
        var decoder = InputDecoder()
        #expect(decoder.feed([0x1B]).isEmpty)
        #expect(decoder.patience == .short)
        #expect(keys(decoder.finish()) == [Key(.escape)])
        #expect(decoder.patience == .none)
    }

    @Test func heldEscapeIsNotAlt() {
        var decoder = InputDecoder()
        let events = decoder.feed([UInt8](repeating: 0x1B, count: 5000)) + decoder.finish()
        #expect(keys(events) == [Key](repeating: Key(.escape), count: 5000))
    }

    @Test func bracketOrLetterAfterEscapeIsAltWhenNothingFollows() {
        for (bytes, key) in [("\u{1B}[", "["), ("\u{1B}O", "O"), ("\u{1B}]", "]")] {
            var decoder = InputDecoder()
            #expect(decoder.feed(Array(bytes.utf8)).isEmpty)
            #expect(keys(decoder.finish()) == [.character(Character(key), .alt)])
        }
    }

    @Test(arguments: [
        "\u{1B}]11;rgb:0/0/0\u{07}", "\u{1B}]0;title\u{1B}\\", "\u{1B}[?62;22c", "\u{1B}[?1u",
        "\u{1B}[I", "\u{1B}[O", "\u{1B}P1$r0m\u{1B}\\", "\u{1B}[?2026;2$y", "\u{1B}[0n",
        "\u{1B}[M !!", "\u{1B}[>0;276;0c", "\u{1B}_x\u{1B}\\", "\u{1B}[999~", "\u{1B}[1;999;x",
        "\u{1B}[57358u", "\u{1B}[<0;0;0M", "\u{1B}[<99;1;1M", "\u{1B}[<0;1m",
    ])
    func answersAndUnknownSequencesAreNotKeys(_ bytes: String) {
        var decoder = InputDecoder()
        var events = decoder.feed(Array((bytes + "q").utf8))
        #expect(keys(events).last == .character("q"))
        #expect(keys(events).count == 1)
        decoder = InputDecoder()
        events = []
        for byte in (bytes + "q").utf8 { events += decoder.feed([byte]) }
        #expect(keys(events) == [.character("q")])
    }

    @Test func lateOrSplitTerminalAnswerIsNotAKey() {
        let start = ContinuousClock.now
        let answers = Array("\u{1B}]11;rgb:ffff/fafa/f0f0\u{1B}\\\u{1B}[?62;22c".utf8)
        for cut in 1..<answers.count {
            var decoder = InputDecoder()
            decoder.answerEnd = start + .seconds(5)
            var events = decoder.feed(answers[..<cut], at: start)
            // A lone Escape waits for more bytes only for a limited time: it is also a key.
            if decoder.pending == [0x1B] {
                #expect(decoder.patience == .long)
            } else if let patience = decoder.patience.duration {
                events += decoder.finish(at: start + patience)
            }
            events += decoder.feed(answers[cut...], at: start + .milliseconds(400))
            events += decoder.feed(Array("q".utf8), at: start + .seconds(1))
            #expect(
                events == [
                    .background(isDark: false), .deviceAttributes,
                    .input(.key(.character("q"))),
                ], "cut at \(cut)")
        }
    }

    @Test func escapeStaysAKeyWhileWaitingForAnAnswer() {
        let start = ContinuousClock.now
        func decoder() -> InputDecoder {
            var decoder = InputDecoder()
            decoder.answerEnd = start + .seconds(5)
            #expect(decoder.feed([0x1B], at: start).isEmpty)
            return decoder
        }
        var alone = decoder()
        #expect(keys(alone.finish(at: start + .milliseconds(500))) == [Key(.escape)])
        var late = decoder()
        #expect(
            keys(late.feed(Array("j".utf8), at: start + .milliseconds(100)))
                == [Key(.escape), .character("j")])
        var together = decoder()
        #expect(
            keys(together.feed(Array("j".utf8), at: start + .milliseconds(5)))
                == [.character("j", .alt)])
        var arrow = decoder()
        #expect(keys(arrow.feed(Array("OA".utf8), at: start + .milliseconds(100))) == [Key(.up)])
        // When no answer is expected, the usual timeout applies.
        var later = InputDecoder()
        later.answerEnd = start
        #expect(later.feed([0x1B], at: start + .seconds(1)).isEmpty)
        #expect(later.patience == .short)
    }

    @Test func backgroundColorIsReported() {
        var decoder = InputDecoder()
        let bytes = "\u{1B}]11;rgb:ffff/fafa/f0f0\u{1B}\\\u{1B}[?62c"
        #expect(
            decoder.feed(Array(bytes.utf8)) == [.background(isDark: false), .deviceAttributes])
        #expect(InputDecoder.isDark("rgb:1e/1e/2e") == true)
        #expect(InputDecoder.isDark("rgba:f/f/f/f") == false)
        #expect(InputDecoder.isDark("rgb:gg/0/0") == nil)
        #expect(InputDecoder.isDark("rgb:/") == nil)
    }

    @Test func pasteIsOneEventWhateverItsContent() {
        var decoder = InputDecoder()
        let text = "q\u{1B}[A\u{03}日\r\nend\u{1B}[20"
        let bytes = "\u{1B}[200~\(text)\u{1B}[201~x"
        let expected: [InputDecoder.Event] = [
            .input(.paste("q\u{1B}[A\u{03}日\nend\u{1B}[20")), .input(.key(.character("x"))),
        ]
        #expect(decoder.feed(Array(bytes.utf8)) == expected)
        var events: [InputDecoder.Event] = []
        for byte in bytes.utf8 {
            events += decoder.feed([byte])
            #expect(decoder.patience != .short || events.isEmpty)
        }
        #expect(events == expected)
    }

    @Test func quickClicksOnOneCellAreADoubleClick() {
        var decoder = InputDecoder()
        let click = Array("\u{1B}[<0;5;3M\u{1B}[<0;5;3m".utf8)
        let start = ContinuousClock.now
        func kinds(after time: Duration) -> [MouseEvent.Kind] {
            decoder.feed(click, at: start + time).compactMap { event in
                if case .input(.mouse(let mouse)) = event { mouse.kind } else { nil }
            }
        }
        #expect(kinds(after: .zero) == [.click])
        #expect(kinds(after: .milliseconds(200)) == [.doubleClick])
        #expect(kinds(after: .milliseconds(300)) == [.click])
        #expect(kinds(after: .seconds(2)) == [.click])
        let wheel = decoder.feed(Array("\u{1B}[<64;1;1M\u{1B}[<69;10;20M".utf8))
        #expect(
            wheel == [
                .input(.mouse(MouseEvent(.wheelUp, column: 0, row: 0))),
                .input(.mouse(MouseEvent(.wheelDown, column: 9, row: 19))),
            ])
        // Only movement with the left button is used.
        let moves = decoder.feed(Array("\u{1B}[<32;5;3M\u{1B}[<34;5;3M\u{1B}[<35;5;3M".utf8))
        #expect(moves == [.input(.mouse(MouseEvent(.drag, column: 4, row: 2)))])
    }

    @Test func keysFromTheTerminalDescriptionAreDecoded() {
        var decoder = InputDecoder()
        decoder.extraKeys = [Array("\u{1B}[214z".utf8): Key(.home), [0x1B, 0x41]: Key(.up)]
        #expect(
            keys(decoder.feed(Array("\u{1B}[214z\u{1B}Ax".utf8)))
                == [Key(.home), Key(.up), .character("x")])
    }

    /// The decoder consumes any bytes, in any chunks, and never waits forever.
    @Test func decoderAcceptsAnyBytes() {
        var random = SeededRandom(seed: 7)
        let alphabet: [UInt8] = [
            0x1B, 0x1B, 0x1B, 0x5B, 0x5D, 0x4F, 0x50, 0x3B, 0x31, 0x39, 0x7E, 0x4D, 0x3C, 0x41,
            0x07, 0x5C, 0x00, 0xC3, 0xA9, 0xF0, 0x9F, 0xFF, 0x24, 0x75, 0x61,
        ]
        for run in 0..<3000 {
            var decoder = InputDecoder()
            let bytes = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &random)
                _ = decoder.feed(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            _ = decoder.finish()
            #expect(decoder.pending.isEmpty, "run \(run): \(bytes)")
            #expect(decoder.patience == .none, "run \(run): \(bytes)")
        }
    }
}
