import Testing

@testable import TidelineUI

@Suite struct TextPartsTests {
    private func lines(_ text: String, _ columns: Int, limit: Int = 100) -> [String] {
        TextParts.wrap(text, columns: columns, limit: limit).map(String.init)
    }

    @Test func linesEndAtSpacesAndNewlines() {
        #expect(lines("one two\nthree", 8) == ["one two", "three"])
        #expect(lines("one two three", 8) == ["one two", "three"])
        #expect(lines("abcdefghij", 4) == ["abcd", "efgh", "ij"])
    }

    @Test func dateAndTimeStayOnOneLine() {
        #expect(lines("milk  2026-11-20 16:54:01", 20) == ["milk ", "2026-11-20 16:54:01"])
        #expect(lines("from 2026-11-20 to 16:54", 17) == ["from 2026-11-20", "to 16:54"])
        // If a line is too short for both, the date and the time get a line each.
        #expect(lines("to 2026-11-20 16:54", 12) == ["to", "2026-11-20", "16:54"])
        // Text that only resembles a date and time breaks at every space.
        #expect(lines("a1-20 16 more", 8) == ["a1-20 16", "more"])
        #expect(lines("a1-20 1 16:54", 8) == ["a1-20 1", "16:54"])
    }

    @Test func linesMayBreakNextToWideCharacters() {
        // A run of wide characters can break anywhere, so it continues the current line.
        #expect(lines("Line, 日本語の長い行", 12) == ["Line, 日本語", "の長い行"])
        #expect(lines("ab日cd ef", 5) == ["ab日", "cd ef"])
        // A line with no other gaps is filled to its end.
        #expect(lines("日abcdefghijklm", 10) == ["日abcdefgh", "ijklm"])
    }

    @Test func listedTextsStayWholeIfTheyFit() {
        let names = ["note/1/title", "Moby-Dick › stars", "a", "b"]
        #expect(
            TextParts.lines(of: names, columns: 20)
                == ["note/1/title,", "Moby-Dick › stars,", "a, b"])
        #expect(
            TextParts.lines(of: names, columns: 80)
                == ["note/1/title, Moby-Dick › stars, a, b"])
        #expect(
            TextParts.lines(of: ["Moby-Dick › stars", "a"], columns: 12)
                == ["Moby-Dick ›", "stars, a"])
        #expect(TextParts.lines(of: [], columns: 12).isEmpty)
    }

    @Test func closingPunctuationDoesNotStartALine() {
        #expect(lines("日本語。はい", 6) == ["日本", "語。は", "い"])
        #expect(lines("（日本）語", 6) == ["（日", "本）語"])
    }
}
