import Automerge
import Foundation
import Testing

@testable import DocumentStore

@Suite struct CodableTests {
    struct Note: Codable, Equatable, Sendable {
        var title = ""
        var tags: [String] = []
    }

    @Test func codableValueRoundTrips() throws {
        let devices = try Devices()
        let store = try devices.open("anna")
        let document = try store.newWorkspace().index
        try document.write(Note(title: "One", tags: ["a"]))
        try document.update(Note.self) { $0.tags.append("b") }
        try store.close()
        let again = try #require(try devices.open("anna").openDocument(document.id))
        #expect(try again.read(Note.self) == Note(title: "One", tags: ["a", "b"]))
    }

    @Test func valuesFollowLocalAndRemoteEdits() async throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let document = try anna.newWorkspace().index
        try document.write(Note(title: "One"))
        try anna.save()
        try devices.carry(from: "anna", to: "ben")
        let ben = try devices.open("ben")
        let copy = try #require(try ben.openDocument(document.id))
        var values = copy.values(of: Note.self).makeAsyncIterator()
        #expect(await values.next() == Note(title: "One"))
        try copy.update(Note.self) { $0.title = "Two" }
        try ben.save()
        #expect(await values.next() == Note(title: "Two"))
        try document.update(Note.self) { $0.tags = ["from anna"] }
        try anna.save()
        try devices.carry(from: "anna", to: "ben")
        try ben.sync()
        #expect(await values.next() == Note(title: "Two", tags: ["from anna"]))
        try ben.close()
        #expect(await values.next() == nil)
        var later = copy.values(of: Note.self).makeAsyncIterator()
        #expect(await later.next() == Note(title: "Two", tags: ["from anna"]))
        #expect(await later.next() == nil)
    }
}
