import DocumentStore
import EntityStore
import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// The shared contract of all stores in a package.
@Suite struct ReplicatedStoreTests {
    @Test func keyValueStoreMeetsTheReplicatedStoreContract() async throws {
        try await check(KeyValueStore.self) { store, number in
            try store.set(.integer(Int64(number)), forKey: "key/\(number)")
        } count: {
            $0.keys.count
        }
    }

    @Test func entityStoreMeetsTheReplicatedStoreContract() async throws {
        try await check(EntityStore.self) { store, number in
            let note = EntityReference.identifier("note/\(number)").orCreate("note")
            try await store.set([(note, ["number": .string("\(number)")])])
        } count: {
            try await $0.count()
        }
    }

    @Test func documentStoreMeetsTheReplicatedStoreContract() async throws {
        try await check(AutomergeStore.self) { store, number in
            _ = try store.newWorkspace(named: "Plan \(number)")
        } count: {
            $0.workspaces.count
        }
    }

    /// - Parameters:
    ///   - write: Writes a value derived from a number.
    ///   - count: Returns the number of values.
    private func check<Store: ReplicatedStore>(
        _ type: Store.Type, write: (Store, Int) async throws -> Void,
        count: (Store) async throws -> Int
    ) async throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Shared.store"))
        let anna = try DeviceID("anna")
        let writer = Store(package: package, device: anna, configuration: Store.Configuration())
        try await writer.load()
        try await write(writer, 1)
        try await writer.save()

        let reader = try await Store.open(package)
        #expect(try await count(reader) == 1)
        #expect(await reader.devices.map(\.device) == [anna])
        #expect(await reader.devices.allSatisfy { $0.state == .ok && !$0.isOwn })
        try await write(writer, 2)
        try await writer.save()
        try await reader.sync()
        #expect(try await count(reader) == 2)

        let events = reader.events()
        try await reader.close()
        // The streams end.
        for await _ in events {}
        try await write(writer, 3)
        // Closing saves unsaved changes.
        try await writer.close()
        try await reader.load()
        #expect(try await count(reader) == 3)
        try await writer.load()
        try await write(writer, 4)
        try await writer.save()
        try await reader.sync()
        #expect(try await count(reader) == 4)
        try await writer.close()
        try await reader.close()
        // Closing again has no effect.
        try await reader.close()
    }
}
