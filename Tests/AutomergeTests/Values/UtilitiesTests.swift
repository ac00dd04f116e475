import Automerge
import AutomergeUtilities
import Testing

/// The content of a document as one value.
@Suite struct UtilitiesTests {
    @Test func schemaHoldsTheWholeContent() throws {
        let doc = Document()
        #expect(try doc.isEmpty())
        let text = try doc.putObject(obj: .ROOT, key: "text", ty: .Text)
        #expect(try doc.isEmpty() == false)
        #expect(try doc.schema().description == "{[\"text\": T{}]}")
        try doc.spliceText(obj: text, start: 0, delete: 0, value: "ab")
        let list = try doc.putObject(obj: .ROOT, key: "list", ty: .List)
        try doc.insert(obj: list, index: 0, value: .Int(1))
        #expect(try doc.parseToSchema(doc, from: list) == .array([.scalar(.Int(1))]))
        #expect(
            try doc.schema() == .dict(["text": .text("ab"), "list": .array([.scalar(.Int(1))])]))
    }

    @Test func contentIsComparedWithoutHistory() throws {
        let (left, right) = (Document(), Document())
        try left.put(obj: .ROOT, key: "a", value: .Int(1))
        try left.put(obj: .ROOT, key: "a", value: .Int(2))
        try right.put(obj: .ROOT, key: "a", value: .Int(2))
        #expect(left.equivalentContents(right))
        try right.put(obj: .ROOT, key: "b", value: .Null)
        #expect(!left.equivalentContents(right))
    }

    @Test func objectsNestedTooDeeplyAreRefused() throws {
        let doc = Document()
        var object = ObjId.ROOT
        for _ in 0..<Document.deepestSchema - 1 {
            object = try doc.putObject(obj: object, key: "a", ty: .Map)
        }
        _ = try doc.schema()
        object = try doc.putObject(obj: object, key: "a", ty: .Map)
        object = try doc.putObject(obj: object, key: "a", ty: .Map)
        #expect(throws: DocError.self) { try doc.schema() }
        #expect(!doc.equivalentContents(doc))
    }
}
