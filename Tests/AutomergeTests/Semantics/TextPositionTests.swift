import Automerge
import Testing

/// Cursors and marks, whose positions follow the text.
@Suite struct TextPositionTests {
    private func document(_ characters: String) throws -> (Document, ObjId) {
        let doc = Document()
        let text = try doc.putObject(obj: .ROOT, key: "text", ty: .Text)
        try doc.spliceText(obj: text, start: 0, delete: 0, value: characters)
        return (doc, text)
    }

    @Test func cursorsMoveWithTheirCharacter() throws {
        let (doc, text) = try document("hello world!")
        let heads = doc.heads()
        let hello = try doc.cursor(obj: text, position: 0)
        let world = try doc.cursor(obj: text, position: 6)
        try doc.spliceText(obj: text, start: 6, delete: 0, value: "wonderful ")
        #expect(try doc.position(obj: text, cursor: hello) == 0)
        #expect(try doc.position(obj: text, cursor: world) == 16)
        try doc.spliceText(obj: text, start: 0, delete: 5, value: "Greetings")
        // The cursor's character was deleted: the cursor moves to the next one.
        #expect(try doc.position(obj: text, cursor: hello) == 9)
        #expect(try doc.position(obj: text, cursor: world) == 20)
        #expect(try doc.position(obj: text, cursor: world, heads: heads) == 6)
        let past = try doc.cursor(obj: text, position: 6, heads: heads)
        #expect(past == world)
    }

    @Test func endCursorStaysAtTheEnd() throws {
        let (doc, text) = try document("abc")
        let end = try doc.cursor(obj: text, position: 3)
        try doc.spliceText(obj: text, start: 3, delete: 0, value: "def")
        #expect(try doc.position(obj: text, cursor: end) == 6)
    }

    @Test func cursorsOfOtherDocumentsAreRefused() throws {
        let (doc, text) = try document("Hello")
        let (other, otherText) = try document("Hello World!")
        let foreign = try other.cursor(obj: otherText, position: 8)
        #expect(throws: DocError.self) { try doc.position(obj: text, cursor: foreign) }
        #expect(throws: DocError.self) {
            try doc.marksAt(obj: text, position: .cursor(foreign))
        }
    }

    @Test func cursorsToLaterElementsAreRefused() throws {
        let (doc, text) = try document("Hello")
        let before = doc.heads()
        try doc.spliceText(obj: text, start: 5, delete: 0, value: " World!")
        let cursor = try doc.cursor(obj: text, position: 8)
        #expect(throws: DocError.self) {
            try doc.position(obj: text, cursor: cursor, heads: before)
        }
        #expect(throws: DocError.self) {
            try doc.marksAt(obj: text, position: .cursor(cursor), heads: before)
        }
    }

    @Test func marksAreSetAndRemoved() throws {
        let (doc, text) = try document("Hello marks")
        try doc.mark(obj: text, start: 0, end: 5, expand: .none, name: "bold", value: true)
        let expected = [Mark(start: 0, end: 5, name: "bold", value: .Scalar(true))]
        #expect(try doc.marks(obj: text) == expected)
        let heads = doc.heads()
        try doc.mark(obj: text, start: 0, end: 5, expand: .none, name: "bold", value: .Null)
        #expect(try doc.marks(obj: text) == [])
        #expect(try doc.marksAt(obj: text, heads: heads) == expected)
    }

    @Test func marksAtAPositionCoverIt() throws {
        let (doc, text) = try document("Hello World!")
        try doc.mark(obj: text, start: 2, end: 5, expand: .both, name: "italic", value: true)
        try doc.mark(obj: text, start: 1, end: 5, expand: .both, name: "bold", value: true)
        let expected = [
            Mark(start: 2, end: 2, name: "bold", value: .Scalar(true)),
            Mark(start: 2, end: 2, name: "italic", value: .Scalar(true)),
        ]
        #expect(try doc.marksAt(obj: text, position: .index(2)) == expected)
        let cursor = try doc.cursor(obj: text, position: 2)
        #expect(try doc.marksAt(obj: text, position: .cursor(cursor)) == expected)
    }

    struct Expansion: Sendable, CustomTestStringConvertible {
        let expand: ExpandMark
        let takesBefore: Bool
        let takesAfter: Bool
        var testDescription: String { "\(expand)" }
    }

    static let expansions = [
        Expansion(expand: .none, takesBefore: false, takesAfter: false),
        Expansion(expand: .before, takesBefore: true, takesAfter: false),
        Expansion(expand: .after, takesBefore: false, takesAfter: true),
        Expansion(expand: .both, takesBefore: true, takesAfter: true),
    ]

    @Test(arguments: expansions)
    func textTypedAtAnEdgeFollowsTheExpansionOfTheMark(expansion: Expansion) throws {
        let (doc, text) = try document("one two three")
        try doc.mark(
            obj: text, start: 4, end: 7, expand: expansion.expand, name: "bold", value: true)
        try doc.spliceText(obj: text, start: 7, delete: 0, value: "X")
        try doc.spliceText(obj: text, start: 4, delete: 0, value: "Y")
        // one YtwoX three
        let start: UInt64 = expansion.takesBefore ? 4 : 5
        let end: UInt64 = expansion.takesAfter ? 9 : 8
        let expected = [Mark(start: start, end: end, name: "bold", value: .Scalar(true))]
        #expect(try doc.marks(obj: text) == expected)
        #expect(try Document(doc.save()).marks(obj: text) == expected)
    }

    @Test func patchesContainMarks() throws {
        let (doc, text) = try document("Hello marks")
        let path = [PathElement(obj: .ROOT, prop: .Key("text"))]
        let fork = doc.fork()
        try fork.mark(obj: text, start: 0, end: 5, expand: .none, name: "bold", value: true)
        let marks = [Mark(start: 0, end: 5, name: "bold", value: .Scalar(true))]
        #expect(
            try doc.mergeWithPatches(other: fork)
                == [Patch(action: .Marks(text, marks), path: path)])
        try fork.spliceText(obj: text, start: 4, delete: 0, value: "oo")
        #expect(
            try doc.mergeWithPatches(other: fork) == [
                Patch(
                    action: .SpliceText(
                        obj: text, index: 4, value: "oo", marks: ["bold": .Scalar(true)]),
                    path: path)
            ])
    }

    @Test(arguments: [TextEncoding.unicodeScalar, .utf8, .utf16, .graphemeCluster])
    func positionsCountUnitsOfTheEncoding(encoding: TextEncoding) throws {
        let characters = "🇩🇰 Æbler. Pærer."
        let doc = Document(textEncoding: encoding)
        let text = try doc.putObject(obj: .ROOT, key: "text", ty: .Text)
        try doc.spliceText(obj: text, start: 0, delete: 0, value: characters)
        func width(_ part: String) -> UInt64 {
            switch encoding {
            case .utf8: UInt64(part.utf8.count)
            case .utf16: UInt64(part.utf16.count)
            case .unicodeScalar: UInt64(part.unicodeScalars.count)
            case .graphemeCluster: UInt64(part.count)
            }
        }
        #expect(doc.length(obj: text) == width(characters))
        let start = width("🇩🇰 ")
        try doc.mark(
            obj: text, start: start, end: start + width("Æbler"), expand: .none, name: "note",
            value: "n")
        let heads = doc.heads()
        try doc.spliceText(obj: text, start: start, delete: 0, value: "Røde ")
        let moved = [
            Mark(
                start: start + width("Røde "), end: start + width("Røde Æbler"), name: "note",
                value: .Scalar("n"))
        ]
        #expect(try doc.marks(obj: text) == moved)
        let loaded = try Document(doc.save(), textEncoding: encoding)
        #expect(loaded.textEncoding == encoding)
        #expect(loaded.length(obj: text) == doc.length(obj: text))
        #expect(try loaded.marks(obj: text) == moved)
        let fork = try doc.forkAt(heads: heads)
        #expect(fork.textEncoding == encoding)
        #expect(try fork.marks(obj: text) == doc.marksAt(obj: text, heads: heads))
        #expect(doc.fork().textEncoding == encoding)
        try doc.spliceText(obj: text, start: 0, delete: Int64(width("🇩🇰")))
        #expect(try doc.text(obj: text) == " Røde Æbler. Pærer.")
    }

    @Test func charactersAreReadByPosition() throws {
        let doc = Document(textEncoding: .utf16)
        let text = try doc.putObject(obj: .ROOT, key: "text", ty: .Text)
        try doc.spliceText(obj: text, start: 0, delete: 0, value: "a😀b")
        let heads = doc.heads()
        try doc.spliceText(obj: text, start: 0, delete: 1, value: "x")
        // Both halves of a surrogate pair return the whole character.
        let characters = try (0..<4).map { try doc.get(obj: text, index: $0) }
        #expect(characters == [.Scalar("x"), .Scalar("😀"), .Scalar("😀"), .Scalar("b")])
        #expect(try doc.get(obj: text, index: 4) == nil)
        #expect(try doc.getAll(obj: text, index: 2) == [.Scalar("😀")])
        #expect(try doc.getAt(obj: text, index: 0, heads: heads) == .Scalar("a"))
        #expect(throws: DocError.self) { try doc.get(obj: .ROOT, index: 0) }
    }
}
