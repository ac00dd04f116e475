import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct TypedValueTests {
    private struct Note: Codable, Equatable {
        enum State: String, Codable { case open, done }

        var title: String
        var due: Date?
        var state: State
        var attachment: Data?
        var site: URL?
        var id: UUID
        var price: Decimal
        var size: UInt64
        var lines: [[String: Double]]
    }

    private let note = Note(
        title: "Groceries", due: Date(timeIntervalSinceReferenceDate: 0.1), state: .done,
        attachment: Data([1]), site: URL(string: "https://example.org/a?b"), id: UUID(),
        price: Decimal(0.1), size: .max, lines: [["a": 1, "b": 2.5], [:]])

    private func expectError(
        _ code: KeyValueError.Code, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) -> String {
        do {
            try body()
            Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        } catch let error as KeyValueError {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
            return error.message
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
        return ""
    }

    @Test func structRoundTripsToAnotherDevice() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(encoding: note, forKey: "note")
        try store.save()
        let other = try fixture.store("b")
        #expect(try other.value(forKey: "note", as: Note.self) == note)
        guard case .dictionary(let members)? = other["note"] else {
            Issue.record("it is no dictionary")
            return
        }
        #expect(members["due"]?.kind == "date")
        #expect(members["attachment"]?.kind == "data")
        #expect(members["site"] == "https://example.org/a?b")
        #expect(members["size"] == .unsigned(.max))
    }

    @Test func everyGetterReturnsItsKindOrNil() throws {
        let store = KeyValueStore(inMemory: .init())
        let date = Date(timeIntervalSinceReferenceDate: 5.25)
        let uuid = UUID()
        try store.set(contentsOf: [
            "string": "x", "integer": -5, "real": 1.5, "truth": true, "date": .date(date),
            "data": .data(Data([7])), "url": "https://example.org",
            "uuid": .string(uuid.uuidString),
            "array": [1, "x"], "strings": ["a", "b"], "dictionary": ["a": 1],
        ])
        #expect(try store.string(forKey: "string") == "x")
        #expect(try store.integer(forKey: "integer") == -5)
        #expect(try store.double(forKey: "real") == 1.5)
        #expect(try store.double(forKey: "integer") == -5)
        #expect(try store.bool(forKey: "truth") == true)
        #expect(try store.date(forKey: "date") == date)
        #expect(try store.data(forKey: "data") == Data([7]))
        #expect(try store.url(forKey: "url") == URL(string: "https://example.org"))
        #expect(try store.uuid(forKey: "uuid") == uuid)
        #expect(try store.array(forKey: "array") == [1, "x"])
        #expect(try store.stringArray(forKey: "strings") == ["a", "b"])
        #expect(try store.dictionary(forKey: "dictionary") == ["a": 1])
        #expect(try store.string(forKey: "none") == nil)
        #expect(try store.array(forKey: "none") == nil)
        #expect(try store.value(forKey: "none", as: Note.self) == nil)
    }

    @Test func valueOfAnotherKindIsAnErrorWithKeyAndKinds() throws {
        let store = KeyValueStore(inMemory: .init())
        try store.set(contentsOf: ["due": "soon", "n": 300, "real": 2.0, "note": ["title": 1]])
        let due = expectError(.typeMismatch) { _ = try store.date(forKey: "due") }
        for part in ["\"due\"", "string", "Date"] { #expect(due.contains(part)) }
        let number = expectError(.typeMismatch) { _ = try store.value(forKey: "n", as: UInt8.self) }
        for part in ["\"n\"", "300", "UInt8"] { #expect(number.contains(part)) }
        let note = expectError(.typeMismatch) {
            _ = try store.value(forKey: "note", as: Note.self)
        }
        for part in ["\"note\"", "title", "integer", "String"] { #expect(note.contains(part)) }
        for body in [
            { _ = try store.integer(forKey: "real") }, { _ = try store.integer(forKey: "due") },
            { _ = try store.bool(forKey: "n") }, { _ = try store.string(forKey: "n") },
            { _ = try store.uuid(forKey: "due") }, { _ = try store.data(forKey: "due") },
            { _ = try store.array(forKey: "note") }, { _ = try store.dictionary(forKey: "n") },
            { _ = try store.stringArray(forKey: "n") },
        ] as [() throws -> Void] {
            _ = expectError(.typeMismatch, body)
        }
    }

    @Test func unsupportedValuesAreRefusedAndTheOldOneStays() throws {
        let store = KeyValueStore(inMemory: .init())
        try store.set("before", forKey: "k")
        let message = expectError(.invalidValue) {
            try store.set(encoding: ["list": [1, nil]], forKey: "k")
        }
        #expect(message.contains("\"k\"") && message.contains("list[1]"))
        struct Own: Error, Encodable {
            func encode(to encoder: any Encoder) throws { throw self }
        }
        _ = expectError(.invalidValue) { try store.set(encoding: Own(), forKey: "k") }
        #expect(store["k"] == "before")
    }

    @Test func settingNilRemovesTheKey() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(encoding: note, forKey: "k")
        try store.set(encoding: Note?.none, forKey: "k")
        #expect(store.keys.isEmpty)
        try store.set(encoding: 1, forKey: "k")
        try store.set(encoding: Int??.some(nil), forKey: "k")
        #expect(store.keys.isEmpty)
        #expect(try store.rows(since: nil).map(\.isDeletion) == [false, true, false, true])
    }

    @Test func invalidPropertyListIsReported() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set("x", forKey: "k")
        try store.save()
        try fixture.execute("a", "UPDATE log SET value = x'00'")
        let other = try fixture.store("b")
        #expect(
            expectError(.invalidValue) { _ = try other.string(forKey: "k") }
                .contains("\"k\""))
    }

    @Test func transactionReadsAndWritesSwiftValues() throws {
        let store = KeyValueStore(inMemory: .init())
        try store.set(encoding: note, forKey: "note")
        try store.transaction { transaction in
            var note = try #require(try transaction.value(forKey: "note", as: Note.self))
            note.title = "Changed"
            try transaction.set(encoding: note, forKey: "note")
            #expect(try transaction.value(forKey: "note", as: Note.self)?.title == "Changed")
            #expect(throws: KeyValueError.self) {
                try transaction.value(forKey: "note", as: Int.self)
            }
        }
        #expect(try store.value(forKey: "note", as: Note.self)?.title == "Changed")
    }

    @Test func valueChangedSinceReadingIsNotOverwritten() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(encoding: note, forKey: "k")
        let seen = store.newestTimestamp(forKey: "k")
        try store.set("other", forKey: "k")
        _ = expectError(.changedSinceRead) {
            try store.set(encoding: note, forKey: "k", ifNewestIs: seen)
        }
        #expect(store["k"] == "other")
    }

    @Test func bulkSetReturnsItsTimestamp() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(0, forKey: "x")
        let timestamp = try #require(try store.set(contentsOf: ["x": 1, "y": 2, "z": nil]))
        #expect(store.newestTimestamp(forKey: "x") == timestamp)
        #expect(
            try store.rows(since: nil).filter { $0.timestamp == timestamp }.map(\.key).sorted()
                == ["x", "y", "z"])
        #expect(try store.set(contentsOf: [:]) == nil)
        #expect(try KeyValueStore(inMemory: .init()).set(contentsOf: ["x": 1]) != nil)
    }

    @Test func blobsAreCreatedFromFilesAndFoundAsFiles() throws {
        let fixture = try StoreFixture()
        let url = fixture.folder.url.appending(path: "harbor.jpg")
        let data = Data(repeating: 9, count: 3 << 20)
        try data.write(to: url)
        let store = try fixture.store("a")
        try store.blobs.put(contentsOf: url, at: "photos/4.jpg")
        let found = try #require(try store.blobs.url(of: "photos/4.jpg"))
        #expect(try Data(contentsOf: found) == data)
        #expect(throws: ReplicationError.self) { try store.blobs.url(of: "photos/5.jpg") }
        #expect(throws: ReplicationError.self) { try store.blobs.url(of: "../x") }

        let memory = KeyValueStore(inMemory: .init())
        try memory.blobs.put(contentsOf: url, at: "photos/4.jpg")
        #expect(try memory.blobs.data(at: "photos/4.jpg") == data)
        #expect(try memory.blobs.url(of: "photos/4.jpg") == nil)
    }
}
