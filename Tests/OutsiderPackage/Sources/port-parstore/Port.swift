import Foundation
import KeyValueStore
import Replication

// The three flows of PARStore 2.0's outline: loading, setting a pair, and a change of another
// device.
@main struct Port {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "port-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/Pairs.store"

        // Loading reads all databases, and fills the logs cache and the dictionary.
        let local = try KeyValueStore(path: path, device: "A")
        try await local.load()

        // Setting a pair changes the dictionary at once. The row is saved in the background.
        try local.set("Value1", forKey: "Key1")
        try local.set("Value2", forKey: "Key2")
        expect(local["Key1"] == "Value1")
        try await local.save()

        // Another device writes only to its own database.
        let foreign = try KeyValueStore(path: path, device: "B")
        try await foreign.load()
        expect(foreign["Key2"] == "Value2")
        let events = local.events()
        try foreign.set("Value3", forKey: "Key2")
        try await foreign.save()

        // The change arrives as an event, and the newest row of the key wins.
        try await local.sync()
        for await event in events {
            if case .synced(let sync) = event.kind, sync.keys == ["Key2"] { break }
        }
        let pairs: [String: PropertyList] = local.dictionary()
        expect(pairs == ["Key1": "Value1", "Key2": "Value3"])

        // The cache has one row per key and device.
        let rows = try await local.perform { try $0.rows(forKey: "Key2") }
        expect(rows.map(\.device.name) == ["A", "B"])
        try local.close()
        try foreign.close()

        try KeyValueStore.destroy(storeAt: path)
        expect(!FileManager.default.fileExists(atPath: path))
        print("Key2 was set on \(rows.map(\.device.name).joined(separator: " and "))")
    }
}

/// Ends the program if the condition doesn't hold.
private func expect(_ condition: Bool, line: UInt = #line) {
    if !condition { fatalError("the condition in line \(line) doesn't hold") }
}
