import Foundation
import TestSupport
import Testing

@testable import Automerge

/// Long texts with edits at all positions, compared with a plain array of characters.
@Suite struct LongTextTests {
    private func randomText(_ random: inout SeededRandom, _ count: Int) -> [Unicode.Scalar] {
        (0..<count).map { _ in "abcdefgé€😀".unicodeScalars.randomElement(using: &random) ?? "x" }
    }

    private func string(_ scalars: [Unicode.Scalar]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    @Test(arguments: [UInt64](1...6)) func editsAnywhereInALongTextApply(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let document = Document()
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        var expected: [Unicode.Scalar] = []
        for _ in 0..<600 {
            let start = Int.random(in: 0...expected.count, using: &random)
            let deleted = Swift.min(
                Int.random(in: 0..<20, using: &random), expected.count - start)
            let inserted = randomText(&random, Int.random(in: 0..<40, using: &random))
            try document.spliceText(
                obj: text, start: UInt64(start), delete: Int64(deleted), value: string(inserted))
            expected.replaceSubrange(start..<start + deleted, with: inserted)
            try #require(document.length(obj: text) == UInt64(expected.count), "seed \(seed)")
        }
        #expect(try document.text(obj: text) == string(expected), "seed \(seed)")
        let from = expected.count / 3
        let to = expected.count / 2
        #expect(
            try document.text(obj: text, in: UInt64(from)..<UInt64(to))
                == string(Array(expected[from..<to])))
        let loaded = try Document(document.save())
        #expect(try loaded.text(obj: text) == string(expected), "seed \(seed)")
        #expect(loaded.heads() == document.heads())
    }

    @Test(arguments: [TextEncoding.utf8, .utf16, .graphemeCluster])
    func positionsCountUnitsOfTheEncoding(_ encoding: TextEncoding) throws {
        let document = Document(textEncoding: encoding)
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        let content = String(repeating: "ae\u{301}€😀🇬🇧", count: 60)
        try document.spliceText(obj: text, start: 0, delete: 0, value: content)
        func width(_ string: String) -> Int {
            switch encoding {
            case .utf8: string.utf8.count
            case .utf16: string.utf16.count
            default: string.count
            }
        }
        #expect(document.length(obj: text) == UInt64(width(content)))
        let half = String(content.prefix(content.count / 2))
        try document.spliceText(
            obj: text, start: UInt64(width(half)), delete: Int64(width("ae\u{301}")), value: "-")
        #expect(
            try document.text(obj: text)
                == half + "-" + content.dropFirst(half.count + 2))
    }

    @Test func updateWritesOnlyTheDifference() throws {
        var random = SeededRandom(seed: 4)
        let document = Document()
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        for _ in 0..<60 {
            let value = string(randomText(&random, Int.random(in: 0..<60, using: &random)))
            try document.updateText(obj: text, value: value)
            #expect(try document.text(obj: text) == value)
        }
        try document.updateText(obj: text, value: "Hello, world!")
        let other = document.fork()
        try document.updateText(obj: text, value: "Hello, friends!")
        try other.updateText(obj: text, value: "Goodbye, world!")
        try document.merge(other: other)
        #expect(try document.text(obj: text) == "Goodbye, friends!")
    }

    @Test func manyForksOfOneTextMerge() throws {
        let document = Document()
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        try document.spliceText(
            obj: text, start: 0, delete: 0, value: String(repeating: "0123456789", count: 300))
        let forks = (0..<20).map { _ in document.fork() }
        for (index, fork) in forks.enumerated() {
            try fork.spliceText(
                obj: text, start: UInt64(index * 150), delete: 0, value: "<fork \(index)>")
        }
        for fork in forks { try document.merge(other: fork) }
        for fork in forks.reversed() { try forks[0].merge(other: fork) }
        #expect(try document.text(obj: text) == forks[0].text(obj: text))
        #expect(document.heads() == forks[0].heads())
        let merged = try document.text(obj: text)
        for index in forks.indices { #expect(merged.contains("<fork \(index)>")) }
    }

    @Test func threadsShareADocument() async throws {
        let document = Document()
        let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<50 {
                        try? document.insert(obj: list, index: 0, value: .Int(Int64(task)))
                        if step % 10 == 0 { _ = document.save() }
                    }
                }
            }
        }
        #expect(document.length(obj: list) == 400)
        #expect(try Document(document.save()).length(obj: list) == 400)
    }
}
