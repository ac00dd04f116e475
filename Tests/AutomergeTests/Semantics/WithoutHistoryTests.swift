import Foundation
import Testing

@testable import Automerge

/// Copies of documents with their content and without their history.
@Suite struct WithoutHistoryTests {
    /// Returns the content as text, with marks and the types of all objects.
    private func content(_ document: Document, _ object: ObjId = .ROOT) throws -> String {
        func text(_ value: Value) throws -> String {
            switch value {
            case .Scalar(let scalar): "\(scalar)"
            case .Object(let id, _): try content(document, id)
            }
        }
        switch document.objectType(obj: object) {
        case .Map:
            return "{"
                + (try document.mapEntries(obj: object).map { "\($0): \(try text($1))" })
                .joined(separator: ", ") + "}"
        case .List:
            return "[" + (try document.values(obj: object).map(text)).joined(separator: ", ") + "]"
        case .Text:
            let marks = try document.marks(obj: object).map {
                "\($0.name) \($0.start)–\($0.end) \($0.value)"
            }
            let blocks = try document.values(obj: object).filter {
                if case .Object = $0 { true } else { false }
            }
            return "Text \(try document.text(obj: object)) \(marks) \(try blocks.map(text))"
        }
    }

    private func sample() throws -> Document {
        let document = Document()
        let values: [ScalarValue] = [
            .String("é\u{0}🙂"), .String(""), .Bytes(Data([0, 255])), .Int(-1), .Uint(.max),
            .F64(1.5), .F64(-.infinity), .Boolean(true), .Null, .Counter(3),
            .Timestamp(Date(timeIntervalSince1970: 1_700_000_000)),
        ]
        for (number, value) in values.enumerated() {
            try document.put(obj: .ROOT, key: "k\(number)", value: value)
        }
        try document.put(obj: .ROOT, key: "gone", value: .Int(1))
        try document.delete(obj: .ROOT, key: "gone")
        try document.increment(obj: .ROOT, key: "k9", by: 4)
        document.commitWith(message: "values")
        let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
        try document.splice(obj: list, start: 0, delete: 0, values: values)
        let inner = try document.insertObject(obj: list, index: 2, ty: .List)
        try document.insert(obj: inner, index: 0, value: .Int(5))
        _ = try document.insertObject(obj: list, index: 0, ty: .Map)
        try document.delete(obj: list, index: 3)
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        try document.spliceText(obj: text, start: 0, delete: 0, value: "low tide 🙂")
        let block = try document.appendBlock(.Map, to: text)
        try document.put(obj: block, key: "type", value: .String("paragraph"))
        try document.spliceText(
            obj: text, start: document.length(obj: text), delete: 0, value: "at six")
        try document.mark(
            obj: text, start: 1, end: 14, expand: .both, name: "bold", value: .Boolean(true))
        document.commitWith(message: "objects")
        return document
    }

    @Test func copyHasTheContentInOneChange() throws {
        let document = try sample()
        let copy = try document.withoutHistory(message: "shallow")
        #expect(try content(copy) == content(document))
        let history = copy.getHistory()
        #expect(history.count == 1)
        #expect(copy.change(hash: history[0])?.message == "shallow")
        let loaded = try Document(copy.save())
        #expect(try content(loaded) == content(document))
        #expect(loaded.heads() == copy.heads())
        // The original isn't affected.
        #expect(document.getHistory().count == 2)
    }

    @Test func onlyWinnersAreCopied() throws {
        let document = Document()
        let other = document.fork()
        try document.put(obj: .ROOT, key: "k", value: .Int(1))
        try other.put(obj: .ROOT, key: "k", value: .Int(2))
        try document.merge(other: other)
        let copy = try document.withoutHistory()
        #expect(try copy.getAll(obj: .ROOT, key: "k").count == 1)
        #expect(try copy.get(obj: .ROOT, key: "k") == document.get(obj: .ROOT, key: "k"))
    }

    @Test func deepDocumentIsCopied() throws {
        let document = Document()
        var object = ObjId.ROOT
        for _ in 0..<20_000 { object = try document.putObject(obj: object, key: "k", ty: .Map) }
        try document.put(obj: object, key: "end", value: .Int(1))
        let copy = try document.withoutHistory()
        var place = ObjId.ROOT
        while case .Object(let inner, _)? = try copy.get(obj: place, key: "k") { place = inner }
        #expect(try copy.get(obj: place, key: "end") == .Scalar(.Int(1)))
    }

    @Test func copyIsSmallerThanALongHistory() throws {
        let document = Document()
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        for number in 0..<2_000 {
            try document.spliceText(obj: text, start: 0, delete: 0, value: "\(number % 10)")
            if number % 2 == 0 { try document.spliceText(obj: text, start: 0, delete: 1) }
            document.commitWith(message: "\(number * 7_919 % 10_007)")
        }
        let copy = try document.withoutHistory()
        #expect(try copy.text(obj: textObject(of: copy)) == document.text(obj: text))
        #expect(copy.save().count * 2 < document.save().count)
    }

    private func textObject(of document: Document) throws -> ObjId {
        guard case .Object(let id, .Text)? = try document.get(obj: .ROOT, key: "text") else {
            throw CocoaError(.coderValueNotFound)
        }
        return id
    }
}
