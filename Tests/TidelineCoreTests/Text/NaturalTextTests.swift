import TestSupport
import Testing

@testable import TidelineCore

@Suite struct NaturalTextTests {
    @Test func numbersInTextsAreComparedByTheirValue() {
        let ordered = [
            "", "001", "01", "1", "2", "10", "a", "a1", "a1b", "a01b2", "a1b10", "a2", "a10",
            "a10b",
            "note", "note/1", "note/2", "note/2/x", "note/10", "note/10000000000000000000000",
            "note/20000000000000000000000", "noté/1",
        ]
        var random = SeededRandom(seed: 20_261_127)
        for _ in 0..<20 {
            #expect(
                ordered.shuffled(using: &random).sorted { NaturalText($0) < NaturalText($1) }
                    == ordered)
        }
    }

    @Test func orderIsStrictAndTotal() {
        var random = SeededRandom(seed: 7)
        let texts = (0..<300).map { _ in
            String(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    "0019a/é".randomElement(using: &random) ?? "0"
                })
        }
        for a in texts {
            for b in texts {
                let before = NaturalText(a) < NaturalText(b)
                let after = NaturalText(b) < NaturalText(a)
                #expect(!(before && after))
                #expect((!before && !after) == a.utf8.elementsEqual(b.utf8))
            }
        }
        let sorted = texts.sorted { NaturalText($0) < NaturalText($1) }
        for (index, text) in sorted.enumerated() {
            #expect(sorted[..<index].allSatisfy { !(NaturalText(text) < NaturalText($0)) })
        }
    }
}
