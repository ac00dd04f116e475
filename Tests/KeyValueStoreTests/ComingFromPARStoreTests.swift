import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// The calls that docs/from-parstore.md lists as replacements for PARStore's.
@Suite struct ComingFromPARStoreTests {
    @Test func documentedCallsWork() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.parstore")
        let (key, blob, value) = ("title", "photos/1.jpg", PropertyList.string("Groceries"))
        let data = Data([1, 2])
        let source = folder.url.appending(path: "1.jpg")
        try data.write(to: source)
        let dictionary: [Name: PropertyList?] = ["size": 12, "old": nil]
        let copyPath = folder.appending("Copy.parstore")
        let other = try DeviceID("phone")
        // begin
        let package = try StorePackage(creating: path)
        let store = KeyValueStore(package: package, device: try DeviceID("desk"))
        let scratch = KeyValueStore(inMemory: KeyValueStore.Configuration())
        try await store.load()
        let events = store.events()
        try store.set(value, forKey: key)
        let title = store[key]
        let all = store.dictionary()
        try store.set(contentsOf: dictionary)
        try store.transaction { try $0.set("b", forKey: "a") }
        try await store.save()
        try store.blobs.put(data, at: blob)
        try store.blobs.put(contentsOf: source, at: blob)
        let photo = try store.blobs.data(at: blob)
        let file = try store.blobs.url(of: blob)
        let blobs = try store.blobs.paths(prefix: "photos/")
        try store.blobs.delete(blob)
        try await store.sync()
        let newest = store.newestTimestamp(forKey: key)
        let byKey = store.newestTimestampsByKey()
        let byDevice = store.newestTimestampsByDevice()
        let rows = try store.rows(since: nil)
        let range = try store.rows(from: .distantPast, through: .distantFuture)
        let before = try store.predecessors(of: rows)
        let after = try store.successors(of: rows)
        let prefixed = try store.newestRows(prefix: "ti")
        let changes = rows.map { Change($0) }
        let inserted = try store.insertChanges(changes, into: other, appendOnly: false)
        try FileManager.default.copyItem(atPath: path, toPath: copyPath)
        let copy = KeyValueStore(
            package: try StorePackage(opening: copyPath), device: try DeviceID("desk"))
        try await copy.load()
        let merged = try store.merge(copy, unsafeDevices: [other])
        try await store.perform { try $0.merge(copy) }
        store.closeDatabase()
        try store.close()
        try KeyValueStore.destroy(storeAt: path)
        // end
        withExtendedLifetime((events, scratch, all, range)) {}
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(title == "Groceries" && photo == data && file != nil && blobs == [blob])
        #expect(newest != nil && byKey.count == 4 && byDevice.count == 1)
        #expect(before.isEmpty && after.isEmpty && prefixed.count == 1)
        #expect(inserted == rows.count && merged == 0)
    }
}
