import TestSupport
import Testing

@testable import TidelineCore

/// The words that only one of two texts has.
@Suite struct TextDifferenceTests {
    private func gained(_ base: String, _ text: String) -> [String] {
        TextDifference.between(base, and: text).gained.map { String(text[$0]) }
    }

    private func lost(_ base: String, _ text: String) -> [String] {
        TextDifference.between(base, and: text).lost.map { String(base[$0]) }
    }

    @Test func onlyDifferencesAreMarked() {
        let (base, text) = ("milk, eggs and bread", "milk, ham and bread")
        #expect(gained(base, text) == ["ham"])
        #expect(lost(base, text) == ["eggs"])
        #expect(gained(base, base).isEmpty && lost(base, base).isEmpty)
        #expect(gained("", "all of it") == ["all of it"])
        #expect(lost("all of it", "") == ["all of it"])
    }

    @Test func equalLookingLettersAreEqual() {
        // Marking an invisible difference would only confuse.
        #expect(gained("caf\u{E9}", "cafe\u{301}").isEmpty)
    }

    @Test func textsOfVeryManyDifferentWordsAreMarkedAsAWhole() {
        let base = (0..<5_000).map { "a\($0)" }.joined(separator: " ")
        let text = (0..<5_000).map { "b\($0)" }.joined(separator: " ")
        #expect(gained("same \(base) end", "same \(text) end") == [text])
    }

    /// Without the lost and gained words, both texts are equal.
    @Test(arguments: 0..<100)
    func remainingTextIsCommon(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func words() -> String {
            (0..<Int.random(in: 0..<30, using: &random)).map { _ in
                ["a", "b", " ", "\n", "é", ",", "日本"].randomElement(using: &random) ?? ""
            }.joined()
        }
        func rest(_ text: String, _ parts: TextDifference.Parts) -> String {
            var rest = ""
            var start = text.startIndex
            for part in parts {
                rest += text[start..<part.lowerBound]
                start = part.upperBound
            }
            return rest + text[start...]
        }
        let (base, text) = (words(), words())
        let difference = TextDifference.between(base, and: text)
        #expect(rest(base, difference.lost) == rest(text, difference.gained))
    }

    @Test(arguments: 0..<100)
    func equalStartsAndEndsDoNotChangeTheDifference(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func text(_ count: Int) -> String {
            (0..<count).map { _ in
                ["a", "e", "\u{301}", " ", "\n", "\r\n", "b1", ",", "日本"]
                    .randomElement(using: &random) ?? ""
            }.joined()
        }
        let (start, end) = (text(8), text(8))
        let base = start + text(4) + end
        let other = start + text(4) + end
        let whole = TextDifference.between(
            TextDifference.Words(base), and: TextDifference.Words(other))
        let trimmed = TextDifference.between(base, and: other)
        #expect(trimmed.lost.map { base[$0] } == whole.lost.map { base[$0] })
        #expect(trimmed.gained.map { other[$0] } == whole.gained.map { other[$0] })
    }

    @Test func oneWordOfAVeryLongTextIsMarked() {
        let words = String(repeating: "tide and ebb ", count: 100_000)
        let lines = String(repeating: "tide\n", count: 100_000)
        for text in [words, lines] {
            let difference = TextDifference.between(
                "\(text) low \(text)", and: "\(text) high \(text)")
            #expect(difference.lost.count == 1 && difference.gained.count == 1)
        }
    }
}
