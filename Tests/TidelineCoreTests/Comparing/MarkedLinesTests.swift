import Testing

@testable import TidelineCore

/// The lines that only one of two texts has, with marked words.
@Suite struct MarkedLinesTests {
    /// The lines as text, with marked parts in brackets.
    private func shown(_ lines: [MarkedLine]) -> [String] {
        lines.map { line in
            line.parts.map { $0.isMarked ? "[\($0.text)]" : $0.text }.joined()
        }
    }

    private func expect(
        _ from: String, _ to: String, _ lost: [String], _ gained: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lines = MarkedLines.between(from, to)
        #expect(shown(lines.from) == lost, sourceLocation: sourceLocation)
        #expect(shown(lines.to) == gained, sourceLocation: sourceLocation)
    }

    @Test func onlyLinesThatDifferAreListed() {
        expect("one\ntwo\nthree", "one\n2\nthree", ["[two]"], ["[2]"])
        expect("one\nthree", "one\ntwo\nthree", [], ["[two]"])
        expect("same", "same", ["same"], ["same"])
    }

    @Test func wordsOfAnyScriptAreMarked() {
        expect("Привет, мир", "Привет, город", ["Привет, [мир]"], ["Привет, [город]"])
        expect("مرحبا بالعالم", "مرحبا صديقي", ["مرحبا [بالعالم]"], ["مرحبا [صديقي]"])
        expect("🇫🇷 soup", "🇫🇷 salad", ["🇫🇷 [soup]"], ["🇫🇷 [salad]"])
    }

    @Test func adjacentChangedWordsAreOnePart() {
        expect("a, b c", "a", ["a[, b c]"], [])
        expect("x y", "one two y", ["[x] y"], ["[one two] y"])
    }

    @Test func changedLineEndIsVisible() {
        expect("a\n", "a", ["a[↵]"], [])
        expect("a\r\nb", "a\nb", ["a[↵]"], ["a[↵]"])
    }

    @Test func textsThatLookEqualAreListedInFull() {
        expect("caf\u{E9}", "cafe\u{301}", ["caf\u{E9}"], ["cafe\u{301}"])
    }
}
