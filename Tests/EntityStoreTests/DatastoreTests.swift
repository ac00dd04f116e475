import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import EntityStore

@Suite struct DatastoreTests {
    private func sample(in folder: TemporaryFolder) throws -> DatastoreFile {
        let file = try DatastoreFile(in: folder)
        try file.write { db in
            try db.addEntity("C41DB873", "person", 597_340_427.993321)
            try db.addEntity("test-book", "book", 597_340_428)
            try db.addProperty("INTEGER", owner: 1, 597_340_430, "age", "integer", 21)
            try db.addProperty("STRING", owner: 1, 597_340_430, "name", "string", "Test")
            try db.addProperty("STRING", owner: 1, 597_340_420, "name", "string", "Older")
            try db.addProperty("BOOLEAN", owner: 1, 597_340_430, "alive", "boolean", 1)
            try db.addProperty("DOUBLE", owner: 1, 597_340_430, "size", "metres", 1.75)
            try db.addProperty("DATE", owner: 1, 597_340_430, "born", "date", 12.5)
            try db.addProperty(
                "DATA", owner: 1, 597_340_430, "photo", "data", Data([1, 0, 2]))
            try db.addProperty(
                "RELATIONSHIP", owner: 2, 597_340_431.5, "author", "author", 1)
        }
        return file
    }

    @Test func originalFileReadsCorrectly() async throws {
        let folder = try TemporaryFolder()
        let file = try sample(in: folder)
        #expect(EntityStore.isCoreData(file.path))
        let store = try await EntityStore.open(coreData: file.path)
        let records = try await store.records()
        #expect(records.map(\.identifier) == ["C41DB873", "test-book"])
        let person = records[0]
        #expect(person.type == "person")
        #expect(person.datestamp.microseconds == 597_340_427_993_321)
        #expect(
            person.properties.map { "\($0.key) \($0.property.type) \($0.property.value.text)" } == [
                "age integer 21", "alive boolean true", "born date 2001-01-01T00:00:12.500000Z",
                "name string Test", "photo data AQAC", "size metres 1.75",
            ])
        #expect(person.modified.microseconds == 597_340_430_000_000)
        let names = try await store.entries(of: [person.reference], keys: ["name"])[0]
        #expect(names.map(\.property.value) == ["Test", "Older"])
        let relation = try #require(try await store.relations(to: [person.reference])[0].first)
        #expect(relation.source == records[1].reference)
        #expect(relation.type == "author")
        #expect(relation.device.name == "datastore")
    }

    @Test func datastoreFilesAreNeverWritten() async throws {
        let folder = try TemporaryFolder()
        let file = try sample(in: folder)
        let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
        let store = try await EntityStore.open(coreData: file.path)
        #expect(store.isWritable == false)
        _ = await expectError(.readOnly) {
            try await store.delete([.identifier("test-book")])
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                == ["Sample.sqlite"])
    }

    @Test func rowsInTheWriteAheadLogAreRead() async throws {
        let folder = try TemporaryFolder()
        let file = try DatastoreFile(in: folder)
        // A killed app leaves all its rows in the write-ahead log.
        let queue = try DatabaseQueue(path: file.path)
        try await queue.writeWithoutTransaction { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try db.addEntity("only", "person", 1)
        }
        let copy = try TemporaryFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: file.path + suffix, toPath: copy.appending("Copy.sqlite" + suffix))
        }
        let path = copy.appending("Copy.sqlite")
        let plain = try Data(contentsOf: URL(fileURLWithPath: path))
        let store = try await EntityStore.open(coreData: path)
        #expect(try await store.identifiers() == ["only"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: copy.path).sorted()
                == ["Copy.sqlite", "Copy.sqlite-wal"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == plain)
        try queue.close()
    }

    @Test func lastTableWinsForOneNameInSeveralTables() async throws {
        let folder = try TemporaryFolder()
        let file = try DatastoreFile(in: folder)
        try file.write { db in
            try db.addEntity("x", "t", 1)
            try db.addProperty("STRING", owner: 1, 900, "v", "string", "newest")
            try db.addProperty("INTEGER", owner: 1, 500, "v", "integer", 5)
            try db.addProperty("INTEGER", owner: 1, 600, "v", "integer", 6)
            try db.addProperty("BOOLEAN", owner: 1, 800, "v", "boolean", 1)
        }
        let store = try await EntityStore.open(coreData: file.path)
        #expect(try await store.value("v", of: .identifier("x")) == 6)
        #expect(
            try await store.values(of: "v", in: [.identifier("x")])[0].map(\.value) == [6, 5])
        #expect(try await store.entries(of: [.identifier("x")])[0].count == 4)
    }

    @Test func irregularRecordsAreShownAndReported() async throws {
        let folder = try TemporaryFolder()
        let file = try DatastoreFile(in: folder)
        try file.write { db in
            try db.addEntity("twice", "a", 1)
            try db.addEntity("twice", "b", 2)
            try db.addEntity(nil, nil, nil)
            try db.addProperty("STRING", owner: 2, 1, "from", "string", "the second")
            // A property of a deleted entity, a missing value, and a missing target.
            try db.addProperty("STRING", owner: nil, 1, "lost", "string", "x")
            try db.addProperty("STRING", owner: 1, 1, "null", "string", nil)
            try db.addProperty("RELATIONSHIP", owner: 1, 1, "to", "entity", 77)
            try db.addProperty("STRING", owner: 1, 1, "modified", "string", "ordinary")
        }
        let store = try await EntityStore.open(coreData: file.path)
        #expect(try await store.identifiers() == ["record-3", "twice"])
        #expect(await store.typeCounts() == ["": 1, "a": 1])
        #expect(await store.devices[0].problem?.contains("twice") == true)
        let properties = try #require(
            try await store.properties(
                ["from", "to", "null", "modified"], of: [.identifier("twice")])[0])
        #expect(properties.keys == ["from", "modified"])
        #expect(properties[value: "modified"] == "ordinary")
    }

    @Test func changedFileIsReread() async throws {
        let folder = try TemporaryFolder()
        let file = try sample(in: folder)
        let store = try await EntityStore.open(coreData: file.path)
        var events = store.events().makeAsyncIterator()
        try file.write { db in
            try db.addEntity("new", "person", 597_340_500)
            try db.addProperty("STRING", owner: 1, 597_340_500, "name", "string", "Newer")
            try db.execute(sql: "DELETE FROM ZENTITYRECORD WHERE ZIDENTIFIER = 'test-book'")
        }
        try await store.sync()
        guard case .changed(let changes)? = await events.next()?.kind else {
            Issue.record("no change was reported")
            return
        }
        #expect(changes.origin == .reload)
        #expect(changes.added == [.identifier("new")])
        #expect(changes.deleted == [.identifier("test-book")])
        #expect(changes.changed == [.identifier("C41DB873")])
        #expect(changes.keys == ["name"])
    }

    @Test func otherFilesAreRefused() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Other.sqlite")
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try queue.close()
        #expect(EntityStore.isCoreData(path) == false)
        await #expect(throws: ReplicationError.self) {
            _ = try await EntityStore.open(coreData: path)
        }
        let text = folder.appending("Text.sqlite")
        try Data(repeating: 0x41, count: 5_000).write(to: URL(fileURLWithPath: text))
        await #expect(throws: ReplicationError.self) {
            _ = try await EntityStore.open(coreData: text)
        }
        await #expect(throws: ReplicationError.self) {
            _ = try await EntityStore.open(coreData: folder.appending("Nothing.sqlite"))
        }
        let whole = try Data(contentsOf: URL(fileURLWithPath: try sample(in: folder).path))
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: text))
        await #expect(throws: ReplicationError.self) {
            _ = try await EntityStore.open(coreData: text)
        }
    }
}
