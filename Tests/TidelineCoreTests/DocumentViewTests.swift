import Automerge
import Foundation
import Replication
import Testing

@testable import TidelineCore

@Suite struct DocumentViewTests {
    @Test func contentIsPlainJSONWithExactNumbers() throws {
        let view = DocumentView(try DocumentSamples.everyKind())
        #expect(
            try view.json()
                == #"{"bool":true,"bytes":[0,255],"counter":5,"list":[-9223372036854775808,{}],"#
                + #""null":null,"real":1.0,"string":"a\"b","text":"hé","time":-1500,"#
                + #""uint":18446744073709551615}"#)
    }

    @Test func keysThatLookEqualAreBothPresent() throws {
        let document = try DocumentSamples.document(1)
        try document.put(obj: .ROOT, key: "e\u{301}", value: .Int(1))
        try document.put(obj: .ROOT, key: "\u{e9}", value: .Int(2))
        #expect(try DocumentView(document).json() == "{\"e\u{301}\":1,\"\u{e9}\":2}")
    }

    @Test func deeplyNestedDocumentsAreWrittenAndSearched() throws {
        let document = try DocumentSamples.document(1)
        var map = ObjId.ROOT
        for _ in 0..<20_000 { map = try document.putObject(obj: map, key: "k", ty: .Map) }
        let view = DocumentView(document)
        #expect(try view.json().utf8.count == 20_000 * 6 + 2)
        try view.forEachConflict { _ in Issue.record("there is none") }
    }

    /// Returns maps nested 6,000 deep, with a conflict in the second and in the innermost one.
    private func nested() throws -> Document {
        let one = try DocumentSamples.document(1)
        var maps = [ObjId.ROOT]
        for _ in 0..<6_000 {
            maps.append(try one.putObject(obj: maps[maps.count - 1], key: "k", ty: .Map))
        }
        one.commitWith(message: nil, timestamp: Date(timeIntervalSince1970: 0))
        let two = one.fork()
        two.actor = try DocumentSamples.actor(2)
        for map in [maps[1], maps[6_000]] {
            try one.put(obj: map, key: "c", value: .Int(1))
            try two.put(obj: map, key: "c", value: .Int(2))
        }
        try one.merge(other: two)
        return one
    }

    @Test func conflictsNestedTooDeeplyToListAreCounted() throws {
        let view = DocumentView(try nested())
        var pointers: [String] = []
        let unlisted = try view.forEachConflict { pointers.append($0.pointer) }
        #expect(pointers == ["/k/c"])
        #expect(unlisted == 1)
        #expect(try view.conflictCount() == 2)
        #expect(DocumentView.unlisted(1)?.hasPrefix("1 more ") == true)
        #expect(DocumentView.unlisted(0) == nil)
    }

    @Test func stepsNestedTooDeeplyToNameAreCounted() throws {
        let document = try nested()
        let view = DocumentView(document)
        let all = view.differences(from: .init([]), to: view.heads)
        let pointers = all.steps.map(\.pointer)
        #expect(pointers.first == "/k")
        #expect(pointers.contains("/k/c"))
        #expect(pointers.allSatisfy { $0.utf8.count <= DocumentView.longestPointer + 2 })
        #expect(all.leftOutCount > 3_000)
        #expect(all.problem != nil)
        let last = DocumentView.Heads(Set(document.getHistory().prefix(1)))
        #expect(view.differences(from: last, to: view.heads).leftOutCount == 1)
    }

    @Test func longObjectsAreOnlyCountedInShortForms() throws {
        let document = try DocumentSamples.document(1)
        let list = try document.putObject(obj: .ROOT, key: "l", ty: .List)
        for index in 0..<60 as Range<UInt64> {
            try document.insert(obj: list, index: index, value: .Int(0))
        }
        let view = DocumentView(document)
        #expect(
            try view.json(of: .object(.ROOT, .Map), at: nil, limit: 100)
                == #"{"l":[60 items]}"#)
    }

    @Test func conflictNamesItsPlaceAndTheGreatestOperationWins() throws {
        let view = DocumentView(try DocumentSamples.conflicting())
        var lines: [String] = []
        try view.forEachConflict { lines.append($0.json.line) }
        #expect(
            lines == [
                #"{"others":[{"actor":"01","op":"2@01","value":"mine"}],"pointer":"/a/b~0~1c","#
                    + #""winner":{"actor":"02","op":"2@02","value":{"k":1}}}"#
            ])
    }

    @Test func historyIsCausalAndComplete() throws {
        let view = DocumentView(try DocumentSamples.conflicting())
        var changes: [DocumentView.Change] = []
        view.forEachChange { changes.append($0) }
        #expect(changes.map(\.operationCount) == [1, 1, 2])
        #expect(changes[0].message == "base")
        #expect(changes[0].time == 1_000_000_000)
        #expect(changes[0].dependencies.isEmpty)
        for change in changes.dropFirst() {
            #expect(change.dependencies == [changes[0].hash])
            #expect(change.startOperation == 2)
            #expect(change.sequence == (change.actor == "01" ? 2 : 1))
        }
    }

    @Test func contentIsReadAtAnyHeads() throws {
        let view = DocumentView(try DocumentSamples.conflicting())
        var changes: [DocumentView.Change] = []
        view.forEachChange { changes.append($0) }
        let mine = try #require(changes.first { $0.actor == "01" && $0.sequence == 2 })
        #expect(try view.json(at: view.heads("")) == "{}")
        #expect(try view.json(at: view.heads(changes[0].hash)) == #"{"a":{}}"#)
        #expect(
            try view.json(at: view.heads(String(mine.hash.prefix(12))))
                == #"{"a":{"b~/c":"mine"}}"#)
        #expect(try view.heads(view.heads.texts.joined(separator: ",")) == view.heads)
    }

    @Test func invalidHeadsAreRejectedWithAReason() throws {
        let view = DocumentView(try DocumentSamples.conflicting())
        for (text, code) in [
            ("xyz", CoreError.Code.usage), ("abc", .usage), ("zzzz", .usage),
            (String(repeating: "0", count: 64), .noAnswer), ("00000000", .noAnswer),
        ] {
            let error = #expect(throws: CoreError.self) { try view.heads(text) }
            #expect(error?.code == code, "\(text)")
        }
    }

    @Test func differencesTransformOneStateIntoAnother() throws {
        let document = try DocumentSamples.everyKind()
        let view = DocumentView(document)
        let before = view.heads
        try document.increment(obj: .ROOT, key: "counter", by: -2)
        try document.delete(obj: .ROOT, key: "bool")
        guard case .Object(let text, _)? = try document.get(obj: .ROOT, key: "text") else {
            Issue.record("no text")
            return
        }
        try document.spliceText(obj: text, start: 1, delete: 1, value: "o")
        let lines = Set(
            view.differences(from: before, to: view.heads).steps.map(\.json.line))
        #expect(
            lines == [
                #"{"action":"increment","by":-2,"pointer":"/counter"}"#,
                #"{"action":"delete","pointer":"/bool"}"#,
                #"{"action":"splice","index":1,"marks":{},"pointer":"/text","text":"o"}"#,
                #"{"action":"delete","index":2,"length":1,"pointer":"/text"}"#,
            ])
    }

    @Test func pointersRoundTrip() throws {
        for key in ["", "a", "~", "/", "~1", "~0", "a/b~c", "é"] {
            #expect(try JSONPointer.steps(of: "/" + JSONPointer.step(key)) == [key])
        }
        #expect(try JSONPointer.steps(of: "") == [])
        for pointer in ["a", "/~", "/~2", "/a~"] {
            #expect(throws: CoreError.self) { try JSONPointer.steps(of: pointer) }
        }
    }
}
