import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@Suite struct ReplacingTests {
    private func sorted(_ interchange: EntityInterchange) -> [EntityInterchange.Entity] {
        interchange.entities.sorted { $0.identifier < $1.identifier }
    }

    private func people() async throws -> EntityStore {
        let store = try EntityStore.inMemory()
        try await store.add([
            (.new("person", identifier: "anna"), ["name": "Anna", "age": 21]),
            (.new("person", identifier: "ben"), ["name": "Ben"]),
        ])
        try await store.add([(.identifier("anna"), ["age": 22])])
        try await store.relate([(.identifier("anna"), .identifier("ben"))], key: "knows")
        return store
    }

    @Test func replacedStoreHasExactlyTheContentOfTheOther() async throws {
        let store = try await people()
        let backup = try await store.interchange()
        try await store.remove(["name"], of: [.identifier("anna")])
        try await store.set([(.identifier("anna"), ["age": 23, "city": "Kyoto"])])
        try await store.add([(.new("person", identifier: "carl"), ["name": "Carl"])])
        let summary = try await store.replace(with: backup)
        #expect(sorted(try await store.interchange()) == sorted(backup))
        #expect(summary.deletedCount == 1 && summary.madeCount == 0)
        #expect(summary.changedCount == 1)
        let again = try await store.replace(with: backup)
        #expect(again.deletedCount == 0 && again.changedCount == 0 && again.entryCount == 0)
    }

    @Test func compactContentReplacesCurrentValues() async throws {
        let store = try await people()
        let compact = try await store.interchange(.compact)
        try await store.set([(.identifier("ben"), ["name": "Benedikt", "age": 3])])
        try await store.replace(with: compact)
        #expect(sorted(try await store.interchange(.compact)) == sorted(compact))
    }

    @Test func recordReturnsValuesByKey() async throws {
        let records = try await people().records()
        #expect(records.map { $0[value: "name"] } == ["Anna", "Ben"])
        #expect(records.map { $0[value: "age"] } == [22, nil])
    }

    @Test func invalidContentChangesNothing() async throws {
        let store = try await people()
        let before = try await store.interchange()
        let invalid = EntityInterchange(entities: [.init(identifier: "", type: "person")])
        await #expect(throws: EntityStoreError.self) { try await store.replace(with: invalid) }
        #expect(try await store.interchange() == before)
    }

    @Test func contentOfAnotherPackageReplacesTheStore() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Backup.store")
        let backup = try await EntityStore.open(
            StorePackage(creating: path), device: DeviceID("desk"))
        try await backup.add([(.new("book", identifier: "b"), ["title": "Emma"])])
        let content = try await backup.interchange()
        await backup.close()
        // Add a device without entities.
        try FileManager.default.createDirectory(
            atPath: path + "/Devices/phone", withIntermediateDirectories: false)
        let store = try await people()
        let summary = try await store.replace(withStoreAt: path)
        #expect(summary.madeCount == 1 && summary.deletedCount == 2)
        #expect(try await store.interchange() == content)
    }

    @Test func incompletePackageReplacesNothing() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Backup.store")
        let package = try StorePackage(creating: path)
        let backup = try await EntityStore.open(package, device: DeviceID("desk"))
        try await backup.add([(.new("book", identifier: "b"), ["title": "Emma"])])
        await backup.close()
        let file = try package.device(DeviceID("desk")).path(of: .entities)
        let bytes = try Data(contentsOf: URL(filePath: file))
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: file))
        let store = try await people()
        let before = try await store.interchange()
        await #expect(throws: ReplicationError.self) {
            try await store.replace(withStoreAt: path)
        }
        #expect(try await store.interchange() == before)
    }
}
