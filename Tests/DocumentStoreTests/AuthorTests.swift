import Automerge
import Foundation
import GRDB
import Replication
import Testing

@testable import DocumentStore

/// The device behind each actor, as recorded by the devices themselves.
@Suite struct AuthorTests {
    private let devices: Devices
    private let id: UUID

    init() throws {
        devices = try Devices()
        let anna = try devices.open("anna")
        let workspace = try anna.newWorkspace(named: "shared")
        id = workspace.id
        try anna.close()
        try devices.carry(from: "anna", to: "ben")
    }

    /// Edits the document as a device.
    ///
    /// - Returns: The actor of the edit.
    @discardableResult
    private func edit(_ device: String, _ key: String, as actor: ActorId? = nil) throws -> ActorId {
        let store = try devices.open(device)
        defer { try? store.close() }
        let document = try #require(try store.openDocument(id))
        if let actor { document.automerge.actor = actor }
        try document.put(key, .Int(1))
        try store.save()
        return document.automerge.actor
    }

    private func authors(in holder: String) throws -> [ActorId: String] {
        let store = try devices.open(holder, writes: false)
        defer { try? store.close() }
        return store.authors(of: id).mapValues(\.name)
    }

    @Test func eachDeviceRecordsItsActors() throws {
        let anna = try edit("anna", "a")
        try devices.carry(from: "anna", to: "ben")
        let ben = try edit("ben", "b")
        try devices.carry(from: "ben", to: "anna")
        for holder in ["anna", "ben"] {
            let authors = try authors(in: holder)
            #expect(authors[anna] == "anna" && authors[ben] == "ben")
            #expect(Set(authors.values) == ["anna", "ben"])
        }
    }

    @Test func combinedChunksKeepTheirAuthors() throws {
        let anna = try edit("anna", "a")
        let again = try edit("anna", "c")
        try devices.carry(from: "anna", to: "ben")
        let ben = try edit("ben", "b")
        try devices.carry(from: "ben", to: "anna")
        for device in ["anna", "ben"] {
            let store = try devices.open(device)
            try store.compact(id)
            #expect(store.chunks(of: id).count { $0.device?.name == device } == 1)
            try store.close()
        }
        try devices.carry(from: "ben", to: "anna")
        let authors = try authors(in: "anna")
        #expect(authors[anna] == "anna" && authors[again] == "anna" && authors[ben] == "ben")
    }

    @Test func actorOfTwoDevicesHasNoAuthor() throws {
        let shared = ActorId()
        try edit("anna", "a", as: shared)
        try devices.carry(from: "anna", to: "ben")
        try edit("ben", "b", as: shared)
        try devices.carry(from: "ben", to: "anna")
        let authors = try authors(in: "anna")
        #expect(authors[shared] == nil)
    }

    @Test(arguments: [nil, "zz,,12", String(repeating: "ab", count: 129)])
    func chunksWithoutActorNamesHaveNoAuthor(_ text: String?) throws {
        try edit("anna", "a")
        let path = try devices.file("anna", in: "anna").path
        try DatabaseQueue(path: path).write {
            try $0.execute(
                sql: "UPDATE log SET value = ? WHERE operation IN (3, 4)", arguments: [text])
        }
        let authors = try authors(in: "anna")
        #expect(authors.count == (text == "zz,,12" ? 1 : 0))
        let store = try devices.open("anna")
        #expect(try store.openDocument(id)?.automerge.get(obj: .ROOT, key: "a") == .Scalar(.Int(1)))
        try store.close()
    }
}
