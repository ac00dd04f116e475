import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@Suite struct DestroyingTests {
    @Test func closedStoreIsDeletedAndOpenOneIsNot() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("People.store")
        for device in ["anna", "ben"] {
            let store = try await EntityStore.open(
                StorePackage(creating: path), device: DeviceID(device))
            try await store.add([(.new("person", identifier: device), ["name": "x"])])
            let error = await #expect(throws: ReplicationError.self) {
                try await EntityStore.destroy(storeAt: path)
            }
            #expect(error?.code == .busy)
            #expect(try await store.count() > 0)
            await store.close()
        }
        let blob = path + "/Blobs/1.jpg"
        try FileManager.default.createDirectory(
            atPath: path + "/Blobs", withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: blob))
        try await EntityStore.destroy(storeAt: path)
        let left = try FileManager.default.subpathsOfDirectory(atPath: path)
        #expect(left == ["Blobs", "Blobs/1.jpg"])
    }

    @Test func storeReleasedWithoutClosingIsDeleted() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("People.store")
        do {
            let store = try await EntityStore.open(StorePackage(creating: path))
            #expect(try await store.count() == 0)
        }
        try await EntityStore.destroy(storeAt: path)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
