import Automerge
import Testing

/// Paths as text, and the objects they lead to.
@Suite struct PathTests {
    @Test func pathsAreParsedAsKeysAndIndexes() throws {
        #expect(try AnyCodingKey.parsePath("") == [])
        #expect(try AnyCodingKey.parsePath("list") == [AnyCodingKey("list")])
        #expect(try AnyCodingKey.parsePath("[1]") == [AnyCodingKey(1)])
        let path = try AnyCodingKey.parsePath(".list.[45].notes")
        #expect(path == [AnyCodingKey("list"), AnyCodingKey(45), AnyCodingKey("notes")])
        #expect(path[1].intValue == 45)
        #expect(path[0].intValue == nil)
        #expect(path.stringPath() == ".list.[45].notes")
        let keys: [any CodingKey] = path
        #expect(keys.stringPath() == ".list.[45].notes")
    }

    @Test(arguments: ["/", "1", "[]", "[foo]", "[-1]", "["])
    func invalidPathsAreRefused(text: String) {
        #expect(throws: PathParseError.self) { try AnyCodingKey.parsePath(text) }
    }

    @Test func pathsLeadToObjects() throws {
        let doc = Document()
        let list = try doc.putObject(obj: .ROOT, key: "list", ty: .List)
        let map = try doc.insertObject(obj: list, index: 0, ty: .Map)
        let notes = try doc.putObject(obj: map, key: "notes", ty: .Text)
        try doc.put(obj: map, key: "plain", value: .Null)
        #expect(try doc.lookupPath(path: "") == .ROOT)
        #expect(try doc.lookupPath(path: ".") == .ROOT)
        #expect(try doc.lookupPath(path: "a") == nil)
        #expect(try doc.lookupPath(path: "list") == list)
        #expect(try doc.lookupPath(path: ".list.[0]") == map)
        #expect(try doc.lookupPath(path: "list.[1]") == nil)
        #expect(try doc.lookupPath(path: "list.[0].notes") == notes)
        #expect(try doc.lookupPath(path: "list.[0].plain") == nil)
        #expect(try doc.path(obj: notes).stringPath() == ".list.[0].notes")
        #expect(try doc.path(obj: .ROOT) == [])
        #expect(throws: CodingKeyLookupError.self) { try doc.lookupPath(path: "list.[5]") }
        #expect(throws: CodingKeyLookupError.self) { try doc.lookupPath(path: "[1].a") }
        #expect(throws: CodingKeyLookupError.self) {
            try doc.lookupPath(path: "list.[0].notes.deeper")
        }
    }
}
