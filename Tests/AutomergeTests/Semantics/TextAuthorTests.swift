import Automerge
import Foundation
import Testing

/// The actors that wrote the characters of a text.
@Suite struct TextAuthorTests {
    private func actor(_ byte: UInt8) throws -> ActorId {
        try #require(ActorId(data: Data([byte])))
    }

    /// A text that two actors edited concurrently.
    private func merged() throws -> (document: Document, text: ObjId, before: Set<ChangeHash>) {
        let one = Document()
        one.actor = try actor(1)
        let text = try one.putObject(obj: .ROOT, key: "text", ty: .Text)
        try one.spliceText(obj: text, start: 0, delete: 0, value: "milk and eggs")
        let before = one.heads()
        let two = one.fork()
        two.actor = try actor(2)
        try one.spliceText(obj: text, start: 0, delete: 4, value: "Oat")
        try two.spliceText(obj: text, start: 9, delete: 4, value: "🥚 & té")
        try one.merge(other: two)
        return (one, text, before)
    }

    @Test func everyCharacterHasTheActorThatInsertedIt() throws {
        let (document, text, _) = try merged()
        let parts = try document.authors(obj: text)
        let expected = [
            AuthoredText("Oat and ", by: try actor(1)), AuthoredText("🥚 & té", by: try actor(2)),
        ]
        #expect(parts == expected)
        #expect(parts.map(\.text).joined() == (try document.text(obj: text)))
        let loaded = try Document(document.save())
        #expect(try loaded.authors(obj: text) == expected)
    }

    @Test func everyCharacterHasTheChangeThatInsertedIt() throws {
        let (document, text, before) = try merged()
        let parts = try document.writtenParts(of: text, at: nil)
        #expect(parts.map(\.text) == ["Oat", " and ", "🥚 & té"])
        let changes = parts.map { $0.change.map { document.recordedChanges($0..<$0 + 1)[0] } }
        #expect(changes.map { $0?.actor } == parts.map(\.actor))
        #expect(changes[1].map { before.contains($0.hash) } == true)
        #expect(changes[0]?.hash != changes[1]?.hash)
        #expect(
            try document.writtenParts(of: text, at: before).map(\.text) == ["milk and eggs"])
    }

    @Test func earlierTextHasItsOwnAuthors() throws {
        let (document, text, before) = try merged()
        #expect(
            try document.authorsAt(obj: text, heads: before) == [
                AuthoredText("milk and eggs", by: actor(1))
            ])
        try document.spliceText(obj: text, start: 0, delete: 15, value: "")
        #expect(try document.authors(obj: text).isEmpty)
        let map = try document.putObject(obj: .ROOT, key: "map", ty: .Map)
        #expect(throws: DocError.self) { try document.authors(obj: map) }
    }
}
