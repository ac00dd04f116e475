import Automerge
import Foundation
import Testing

/// Changes: when they are created, their dependencies, and how they are exchanged.
@Suite struct ChangeTests {
    @Test func newDocumentHasNoChange() throws {
        let doc = Document()
        #expect(doc.heads().isEmpty)
        #expect(try doc.encodeChangesSince(heads: []).isEmpty)
        let saved = doc.save()
        try doc.applyEncodedChanges(encoded: Data())
        #expect(doc.heads().isEmpty)
        #expect(doc.save() == saved)
        #expect(try Document(saved).heads().isEmpty)
        #expect(try Document(Data()).heads().isEmpty)
    }

    @Test func readingTheHistoryCommitsPendingEdits() throws {
        let doc = Document()
        try doc.put(obj: .ROOT, key: "key", value: "one")
        #expect(doc.getHistory().count == 1)
        try doc.put(obj: .ROOT, key: "key", value: "two")
        try doc.put(obj: .ROOT, key: "other", value: "three")
        #expect(doc.getHistory().count == 2)
        let replica = doc.fork()
        #expect(doc.getHistory() == replica.getHistory())
        try doc.put(obj: .ROOT, key: "new", value: "beta")
        try replica.put(obj: .ROOT, key: "new", value: "alpha")
        try doc.merge(other: replica)
        #expect(doc.heads().count == 2)
        #expect(replica.heads().count == 1)
        #expect(doc.getHistory().count == 4)
        try doc.put(obj: .ROOT, key: "new", value: "both")
        #expect(doc.heads().count == 1)
    }

    @Test func changesWaitForTheirDependencies() throws {
        let doc = Document()
        var chunks: [Data] = []
        for number in 0..<4 {
            try doc.put(obj: .ROOT, key: "number", value: .Int(Int64(number)))
            chunks.append(doc.encodeNewChanges())
        }
        let other = Document()
        for chunk in chunks.reversed().dropLast() {
            try other.applyEncodedChanges(encoded: chunk)
            #expect(other.heads().isEmpty)
        }
        try other.applyEncodedChanges(encoded: chunks[0])
        #expect(other.heads() == doc.heads())
        #expect(try other.get(obj: .ROOT, key: "number") == .Scalar(.Int(3)))
    }

    @Test func conflictsKeepAllValuesAndHaveTheSameWinner() throws {
        let left = Document()
        let right = left.fork()
        left.actor = try #require(ActorId(data: Data([1])))
        right.actor = try #require(ActorId(data: Data([2])))
        try left.put(obj: .ROOT, key: "key", value: "left")
        try right.put(obj: .ROOT, key: "key", value: "right")
        try left.merge(other: right)
        try right.merge(other: left)
        for doc in [left, right] {
            // For equal counters, the value of the greater actor wins.
            #expect(try doc.get(obj: .ROOT, key: "key") == .Scalar("right"))
            #expect(
                try doc.getAll(obj: .ROOT, key: "key") == [.Scalar("left"), .Scalar("right")])
        }
        try left.put(obj: .ROOT, key: "key", value: "resolved")
        try right.merge(other: left)
        #expect(try right.getAll(obj: .ROOT, key: "key") == [.Scalar("resolved")])
    }

    @Test func updateSurvivesAConcurrentDelete() throws {
        let doc = Document()
        let list = try doc.putObject(obj: .ROOT, key: "list", ty: .List)
        try doc.splice(obj: list, start: 0, delete: 0, values: [1, 2, 3])
        let other = doc.fork()
        try doc.delete(obj: list, index: 1)
        try other.put(obj: list, index: 1, value: 20)
        try doc.merge(other: other)
        #expect(try doc.values(obj: list) == [.Scalar(1), .Scalar(20), .Scalar(3)])
    }

    @Test func concurrentRunsOfTextDoNotInterleave() throws {
        let doc = Document()
        let text = try doc.putObject(obj: .ROOT, key: "text", ty: .Text)
        try doc.spliceText(obj: text, start: 0, delete: 0, value: "()")
        let other = doc.fork()
        try doc.spliceText(obj: text, start: 1, delete: 0, value: "aaaa")
        try other.spliceText(obj: text, start: 1, delete: 0, value: "bbbb")
        try doc.merge(other: other)
        #expect(["(aaaabbbb)", "(bbbbaaaa)"].contains(try doc.text(obj: text)))
    }

    @Test func canonicallyEqualKeysAreDifferent() throws {
        let doc = Document()
        try doc.put(obj: .ROOT, key: "\u{E9}", value: 1)
        try doc.put(obj: .ROOT, key: "e\u{301}", value: 2)
        #expect(doc.length(obj: .ROOT) == 2)
        #expect(try doc.get(obj: .ROOT, key: "\u{E9}") == .Scalar(1))
        #expect(try doc.get(obj: .ROOT, key: "e\u{301}") == .Scalar(2))
    }

    @Test func differencesDescribeTextEdits() throws {
        let doc = Document()
        let text = try doc.putObject(obj: .ROOT, key: "text", ty: .Text)
        let empty = doc.heads()
        try doc.spliceText(obj: text, start: 0, delete: 0, value: "Hello")
        let hello = doc.heads()
        let world = " World 👨‍👩‍👧‍👦"
        try doc.spliceText(obj: text, start: 5, delete: 0, value: world)
        let path = [PathElement(obj: .ROOT, prop: .Key("text"))]
        let length = UInt64(world.unicodeScalars.count)
        #expect(
            doc.difference(to: hello)
                == [
                    Patch(
                        action: .DeleteSeq(DeleteSeq(obj: text, index: 5, length: length)),
                        path: path)
                ])
        #expect(
            doc.difference(since: hello)
                == [
                    Patch(
                        action: .SpliceText(obj: text, index: 5, value: world, marks: [:]),
                        path: path)
                ])
        #expect(
            doc.difference(from: empty, to: doc.heads())
                == [
                    Patch(
                        action: .SpliceText(
                            obj: text, index: 0, value: "Hello" + world, marks: [:]), path: path)
                ])
    }

    @Test func wrongEditsAreRefusedAndChangeNothing() throws {
        let doc = Document()
        let list = try doc.putObject(obj: .ROOT, key: "list", ty: .List)
        let text = try doc.putObject(obj: .ROOT, key: "text", ty: .Text)
        try doc.put(obj: .ROOT, key: "string", value: "x")
        let elsewhere = try Document().putObject(obj: .ROOT, key: "list", ty: .List)
        let heads = doc.heads()
        let wrong: [(Document) throws -> Void] = [
            { try $0.put(obj: list, key: "a", value: 1) },
            { try $0.put(obj: .ROOT, index: 0, value: 1) },
            { try $0.put(obj: list, index: 0, value: 1) },
            { try $0.insert(obj: list, index: 1, value: 1) },
            { try $0.insert(obj: list, index: .max, value: 1) },
            { try $0.delete(obj: list, index: 0) },
            { try $0.increment(obj: .ROOT, key: "string", by: 1) },
            { try $0.increment(obj: .ROOT, key: "missing", by: 1) },
            { try $0.spliceText(obj: list, start: 0, delete: 0, value: "x") },
            { try $0.spliceText(obj: text, start: 1, delete: 0, value: "x") },
            { try $0.splice(obj: list, start: 0, delete: -1, values: []) },
            { try $0.splice(obj: list, start: .max, delete: .min, values: []) },
            { try $0.mark(obj: text, start: 0, end: 9, expand: .none, name: "a", value: 1) },
            { try $0.put(obj: elsewhere, index: 0, value: 1) },
            { _ = try $0.text(obj: list) },
            { _ = try $0.values(obj: elsewhere) },
            { _ = try $0.path(obj: elsewhere) },
        ]
        for (number, edit) in wrong.enumerated() {
            #expect(throws: DocError.self, "\(number)") { try edit(doc) }
        }
        #expect(doc.heads() == heads)
        #expect(doc.getHistory().count == 1)
        #expect(doc.length(obj: elsewhere) == 0)
    }
}
