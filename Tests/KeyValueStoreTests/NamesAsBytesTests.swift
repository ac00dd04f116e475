import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Keys, devices, and members that are canonically equal but differ in bytes.
@Suite struct NamesAsBytesTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    @Test func everyResultContainsBothSpellingsOfAKey() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(contentsOf: [Name(Self.composed): 1, Name(Self.decomposed): 2])
        try store.save()
        #expect(store.everything == [Name(Self.composed): 1, Name(Self.decomposed): 2])
        #expect(store.keys.map { Name($0) } == [Name(Self.decomposed), Name(Self.composed)])
        fixture.clock.advance(microseconds: 1)
        #expect(try store.dictionary(at: fixture.clock.now).count == 2)
        #expect(try store.rows(at: fixture.clock.now).count == 2)
        #expect(store.newestTimestampsByKey().count == 2)
        fixture.clock.advance(microseconds: 1)
        try store.transaction { transaction in
            try transaction.set(3, forKey: Self.composed)
            #expect(transaction.value(forKey: Self.decomposed) == 2)
            try transaction.set(4, forKey: Self.decomposed)
        }
        try store.save()
        let rows = try store.rows(since: nil)
        #expect(rows.count == 4)
        #expect(try store.predecessors(of: Array(rows.suffix(2))).count == 2)
        #expect(try store.newestRows(prefix: "caf").count == 2)
    }

    @Test func bothSpellingsOfADeviceWriteAndConflict() throws {
        let fixture = try StoreFixture()
        for name in [Self.composed, Self.decomposed] {
            let store = try fixture.unloaded(name)
            try store.load()
            try store.set(.string("of \(name.utf8.count) bytes"), forKey: name)
            try store.save()
        }
        // Neither device had seen the other's row when it wrote.
        let stores = try [Self.composed, Self.decomposed].map { try fixture.store($0) }
        for store in stores {
            try store.set(.integer(Int64(store.device?.name.utf8.count ?? 0)), forKey: "k")
            try store.set("both", forKey: Self.composed)
        }
        for store in stores { try store.save() }
        let reader = try fixture.store(nil)
        #expect(reader.devices.count == 2)
        #expect(Set(reader.devices.map(\.device)).count == 2)
        #expect(reader.devices.allSatisfy { $0.state == .ok && $0.problem == nil })
        #expect(reader.keys.count == 3)
        #expect(reader.conflictKeys == ["k"])
        let conflict = try #require(try reader.conflict(forKey: "k"))
        #expect(conflict.others.count == 1)
        for store in stores {
            try store.sync()
            try store.set("again", forKey: "own")
            try store.save()
        }
    }

    @Test func exportedJSONCanBeImported() throws {
        let inner: PropertyList = .dictionary([
            Name(Self.composed): .string(Self.composed),
            Name(Self.decomposed): .string(Self.decomposed),
        ])
        #expect(try PropertyList(binary: inner.binary()) == inner)
        #expect(try PropertyList(json: inner.json()) == inner)
        let text =
            "{\(PropertyList.json(string: Self.composed)):\(try inner.json()),"
            + "\(PropertyList.json(string: Self.decomposed)):2}"
        let entries = try PropertyList.entries(json: Data(text.utf8))
        #expect(entries.count == 2)
        #expect(entries[Self.composed] == .some(inner))
        #expect(
            PropertyList.dictionary([Name(Self.composed): 1])
                != .dictionary([Name(Self.decomposed): 1]))
        #expect(throws: PropertyListError.self, "one key twice is still one too many") {
            try PropertyList.entries(json: Data(#"{"a":1,"a":2}"#.utf8))
        }
    }

    @Test func canonicallyEqualBlobsInMemoryStayDistinct() throws {
        let store = KeyValueStore(inMemory: .init())
        try store.blobs.put(Data("1".utf8), at: Self.composed)
        try store.blobs.put(Data("2".utf8), at: Self.decomposed)
        #expect(try store.blobs.paths().count == 2)
        #expect(try store.blobs.data(at: Self.composed) == Data("1".utf8))
    }
}
