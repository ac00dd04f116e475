import Foundation
import TestSupport
import Testing

@testable import KeyValueStore

@Suite struct PropertyListMergeTests {
    @Test func changesOfOneSideAreAdopted() {
        #expect(PropertyListMerge([1, 2], base: 1).value == 2)
        #expect(PropertyListMerge([2, 1], base: 1).value == 2)
        #expect(PropertyListMerge([nil, 1], base: 1).value == nil)
        #expect(PropertyListMerge([1, 2], base: 1).overlaps.isEmpty)
        #expect(PropertyListMerge([2, 2], base: 1).overlaps.isEmpty)
    }

    @Test func overlapAdoptsTheFirstSideAndRecordsThePlace() {
        let merge = PropertyListMerge([2, 3], base: 1)
        #expect(merge.value == 2)
        #expect(merge.overlaps == [""])
        #expect(PropertyListMerge([nil, 3], base: 1).overlaps == [""])
    }

    @Test func membersAreMergedOneByOne() {
        let merge = PropertyListMerge(
            [
                ["a": 2, "b": 1, "inner": ["x": 5, "y": 1], "new": true],
                ["a": 1, "inner": ["x": 6, "y": 2], "other": "z"],
            ], base: ["a": 1, "b": 1, "inner": ["x": 1, "y": 1]])
        #expect(
            merge.value == ["a": 2, "inner": ["x": 5, "y": 2], "new": true, "other": "z"])
        #expect(merge.overlaps == ["inner/x"])
    }

    @Test func insertionsOfBothSidesAreKept() {
        let merge = PropertyListMerge(
            [["milk", "bread", "eggs"], ["bread", "jam"]], base: ["milk", "bread"])
        #expect(merge.value == ["bread", "eggs", "jam"])
        #expect(merge.overlaps.isEmpty)
    }

    @Test func textsAreMergedByLinesOrWords() {
        let lines = PropertyListMerge(
            ["one\n2\nthree\n", "zero\none\ntwo\nthree\nfour"], base: "one\ntwo\nthree\n")
        #expect(lines.value == "zero\none\n2\nthree\nfour")
        #expect(lines.overlaps.isEmpty)
        let words = PropertyListMerge(
            ["Groceries for Monday", "The groceries for today"], base: "Groceries for today")
        #expect(words.value == "The groceries for Monday")
        let both = PropertyListMerge(["a B c", "a D c"], base: "a b c")
        #expect(both.value == "a B c")
        #expect(both.overlaps == ["word 3"])
        // The two encodings of a letter are different texts.
        let spelled = PropertyListMerge(["e\u{301}", "x"], base: "\u{E9}")
        #expect(spelled.overlaps == ["word 1"])
    }

    @Test func wordsInsertedAtOnePlaceAreAnOverlap() {
        let merge = PropertyListMerge(
            ["as the desk has it", "as the phone has it"], base: "the base")
        #expect(merge.value == "as the desk has it")
        #expect(!merge.overlaps.isEmpty)
    }

    @Test func changesOfThreeSidesAreMerged() {
        let base: PropertyList = ["a": 1, "b": 1, "c": 1]
        let merge = PropertyListMerge(
            [["a": 2, "b": 1, "c": 1], ["a": 1, "b": 2, "c": 1], ["a": 1, "b": 1, "c": 2]],
            base: base)
        #expect(merge.value == ["a": 2, "b": 2, "c": 2])
        #expect(merge.overlaps.isEmpty)
    }

    /// Random edits of two sides at different places merge to the same value in either order. A
    /// side without changes has no effect.
    @Test func separateEditsMergeInAnyOrder() {
        var random = SeededRandom(seed: 20_261_122)
        for _ in 0..<2_000 {
            let base = (0..<Int.random(in: 2...30, using: &random)).map { "\($0)\n" }
            let cut = Int.random(in: 1..<base.count, using: &random)
            let head = edited(base[..<cut], "h", &random)
            let tail = edited(base[cut...], "t", &random)
            let text = { (parts: [[String]]) in PropertyList.string(parts.joined().joined()) }
            let (one, other) = (
                text([head, Array(base[cut...])]), text([Array(base[..<cut]), tail])
            )
            let whole = text([head, tail])
            for sides in [[one, other], [other, one]] {
                let merge = PropertyListMerge(sides, base: text([base]))
                // Insertions on both sides of the boundary are at the same place.
                guard merge.overlaps.isEmpty else { continue }
                if case .string(let merged)? = merge.value, case .string(let wanted) = whole {
                    #expect(
                        merged.split(separator: "\n").sorted()
                            == wanted.split(separator: "\n").sorted())
                }
            }
            #expect(PropertyListMerge([one, text([base])], base: text([base])).value == one)
            #expect(PropertyListMerge([text([base]), one], base: text([base])).value == one)
        }
    }

    private func edited(
        _ lines: ArraySlice<String>, _ mark: String, _ random: inout SeededRandom
    ) -> [String] {
        var result: [String] = []
        for line in lines {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: continue
            case 1: result += [line, "\(mark)\(Int.random(in: 0..<9, using: &random))\n"]
            case 2: result.append("\(mark)!\(line)")
            default: result.append(line)
            }
        }
        return result
    }

    @Test func longTextsAreMergedAsAWhole() {
        let base = String(repeating: "x\n", count: 3_000)
        let merge = PropertyListMerge(
            [.string("a\n" + base), .string(base + "b")], base: .string(base))
        #expect(merge.overlaps == [""])
    }
}
