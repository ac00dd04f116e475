import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Descriptions of changes to a document.
@Suite struct DocumentNewsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the description of changes to a document with a title, a text, a list and a note.
    private func news(
        of change: (Document, _ list: ObjId, _ text: ObjId) throws -> Void
    ) throws -> (rows: [String: RowMark], text: String) {
        let document = Document()
        try document.put(obj: .ROOT, key: "title", value: .String("One"))
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        try document.spliceText(obj: text, start: 0, delete: 0, value: "abc")
        let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
        for index in 0..<3 {
            try document.insert(obj: list, index: UInt64(index), value: .Int(Int64(index)))
        }
        let note = try document.putObject(obj: .ROOT, key: "note", ty: .Map)
        try document.put(obj: note, key: "due", value: .Int(1))
        func open() throws -> OpenDocument {
            try OpenDocument(AutomergeFile(DocumentSamples.write(document, to: folder)))
        }
        let old = try open()
        try change(document, list, text)
        let (rows, reported) = try open().marks(since: old)
        return (Dictionary(uniqueKeysWithValues: rows.map { ($0.key.name, $0.value) }), reported)
    }

    @Test func additionsChangesAndDeletionsAreDistinguished() throws {
        var reported = try news { document, _, _ in
            try document.put(obj: .ROOT, key: "title", value: .String("Two"))
        }
        #expect(reported.text == "~1 /title" && reported.rows == ["/title": .changed])
        reported = try news { document, _, _ in try document.delete(obj: .ROOT, key: "title") }
        #expect(reported.text == "-1 /title" && reported.rows == ["/title": .deleted])
        reported = try news { document, _, _ in
            try document.put(obj: .ROOT, key: "new", value: .Int(1))
        }
        #expect(reported.text == "+1 /new" && reported.rows == ["/new": .new])
        reported = try news { document, list, _ in
            try document.put(obj: .ROOT, key: "new", value: .Int(1))
            try document.put(obj: .ROOT, key: "title", value: .String("Two"))
            try document.delete(obj: list, index: 1)
        }
        #expect(reported.text.hasPrefix("+1 ~1 -1 /") && reported.text.hasSuffix(" …"))
    }

    @Test func contentOfANewObjectIsNotReportedSeparately() throws {
        func fill(_ document: Document, _ key: String) throws {
            let object = try document.putObject(obj: .ROOT, key: key, ty: .Map)
            let inner = try document.putObject(obj: object, key: "inner", ty: .List)
            try document.insert(obj: inner, index: 0, value: .Int(1))
            try document.put(obj: object, key: "due", value: .Int(2))
        }
        #expect(try news { document, _, _ in try fill(document, "new") }.text == "+1 /new")
        // The content of an object that replaces another one isn't reported either.
        #expect(try news { document, _, _ in try fill(document, "note") }.text == "~1 /note")
    }

    @Test func listElementsAreReportedByIndex() throws {
        var reported = try news { document, list, _ in
            try document.insert(obj: list, index: 1, value: .Int(7))
            try document.insert(obj: list, index: 2, value: .Int(8))
        }
        #expect(reported.text == "+2 /list/1 …")
        #expect(reported.rows == ["/list": .changed, "/list/1": .new, "/list/2": .new])
        // Another element now has the index of the deleted one, so the row still exists.
        reported = try news { document, list, _ in try document.delete(obj: list, index: 0) }
        #expect(reported.text == "-1 /list/0" && reported.rows == ["/list": .changed])
    }

    @Test func newObjectsInAListAreCounted() throws {
        let reported = try news { document, list, _ in
            for index in 0..<1_200 {
                let item = try document.insertObject(obj: list, index: UInt64(index), ty: .Map)
                try document.put(obj: item, key: "done", value: .Boolean(false))
            }
        }
        #expect(reported.text == "+1200 /list/0 …")
        #expect(reported.rows.count == 1_000)
    }

    @Test func textEditIsOneChange() throws {
        let reported = try news { document, _, text in
            try document.spliceText(obj: text, start: 1, delete: 1, value: "xyz")
        }
        #expect(reported.text == "~1 /text" && reported.rows == ["/text": .changed])
    }

    @Test func insertedAndDeletedValueIsNotReported() throws {
        let reported = try news { document, _, _ in
            try document.put(obj: .ROOT, key: "new", value: .Int(1))
            document.commitWith(message: nil)
            try document.delete(obj: .ROOT, key: "new")
        }
        #expect(reported.text == "no value changed" && reported.rows.isEmpty)
    }
}
