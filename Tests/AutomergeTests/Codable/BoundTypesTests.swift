import Automerge
import Foundation
import Testing

/// Texts and counters that are bound to a document.
@Suite struct BoundTypesTests {
    @Test func boundTextWritesIntoTheDocument() throws {
        let doc = Document()
        let text = try AutomergeText("🇬🇧👨‍👨‍👧‍👦😀", doc: doc, path: "list.[0].notes")
        #expect(text.isBound)
        let object = try #require(try doc.lookupPath(path: "list.[0].notes"))
        #expect(try doc.text(obj: object) == "🇬🇧👨‍👨‍👧‍👦😀")
        text.value = "🇬🇧😀"
        #expect(try doc.text(obj: object) == "🇬🇧😀")
        try doc.spliceText(obj: object, start: 0, delete: 0, value: "x")
        #expect(text.value == "x🇬🇧😀")
    }

    @Test func encodingBindsText() throws {
        let doc = Document()
        let text = AutomergeText("one")
        #expect(!text.isBound)
        try AutomergeEncoder(doc: doc).encode(["notes": text])
        #expect(text.isBound)
        text.value = "two"
        let notes = try #require(try doc.lookupPath(path: "notes"))
        #expect(try doc.text(obj: notes) == "two")
    }

    @Test func encodingNewTextUpdatesTheExistingText() throws {
        let doc = Document()
        let encoder = AutomergeEncoder(doc: doc)
        try encoder.encode(["notes": AutomergeText("Hello")])
        let before = try doc.lookupPath(path: "notes")
        try encoder.encode(["notes": AutomergeText("Hello World!")])
        let notes = try #require(try doc.lookupPath(path: "notes"))
        #expect(notes == before)
        #expect(try doc.text(obj: notes) == "Hello World!")
    }

    @Test func textsOfTwoWritersMerge() throws {
        let doc = Document()
        let mine = try AutomergeText("one two", doc: doc, path: "notes")
        let other = doc.fork()
        let notes = try #require(try other.lookupPath(path: "notes"))
        let theirs = try AutomergeText(doc: other, objId: notes)
        mine.value = "one two three"
        theirs.value = "zero one two"
        try doc.merge(other: other)
        #expect(mine.value == "zero one two three")
    }

    @Test func bindingToAnotherTypeIsRefused() throws {
        let doc = Document()
        try doc.put(obj: .ROOT, key: "number", value: .Int(1))
        #expect(throws: BindingError.InvalidPath("")) {
            try AutomergeText("x", doc: doc, path: "")
        }
        #expect(throws: BindingError.NotText) { try AutomergeText(doc: doc, objId: .ROOT) }
        #expect(throws: BindingError.NotCounter) { try Counter(doc: doc, path: "number") }
        #expect(throws: CodingKeyLookupError.self) {
            try AutomergeText("x", doc: doc, path: "number.notes")
        }
    }

    @Test func concurrentIncrementsAddUp() throws {
        struct Ballot: Codable, Equatable { var vote: Counter }
        let doc = Document()
        try AutomergeEncoder(doc: doc).encode(Ballot(vote: Counter(0)))
        let (left, right) = (doc.fork(), doc.fork())
        let leftBallot = try AutomergeDecoder(doc: left).decode(Ballot.self)
        leftBallot.vote.value += 3
        try AutomergeEncoder(doc: left).encode(leftBallot)
        let rightBallot = try AutomergeDecoder(doc: right).decode(Ballot.self)
        rightBallot.vote.increment(by: -1)
        try left.merge(other: right)
        try right.merge(other: left)
        #expect(leftBallot.vote.value == 2)
        #expect(rightBallot.vote.value == 2)
        #expect(try AutomergeDecoder(doc: left).decode(Ballot.self).vote.value == 2)
    }

    @Test func bindingACounterAddsItsOwnValue() throws {
        let doc = Document()
        try doc.put(obj: .ROOT, key: "counter", value: .Counter(10))
        let counter = Counter()
        counter.increment(by: 4)
        counter.increment(by: -1)
        try counter.bind(doc: doc, path: "counter")
        #expect(counter.isBound)
        #expect(counter.value == 13)
        #expect(try doc.get(obj: .ROOT, key: "counter") == .Scalar(.Counter(13)))
        #expect(counter == Counter(13))
    }

    @Test func boundTypesAreCodableWithOtherCoders() throws {
        let json = try JSONEncoder().encode([Counter(4)])
        #expect(try JSONDecoder().decode([Counter].self, from: json) == [Counter(4)])
        let text = try JSONEncoder().encode([AutomergeText("a")])
        #expect(try JSONDecoder().decode([AutomergeText].self, from: text) == [AutomergeText("a")])
    }
}
