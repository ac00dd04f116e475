import Foundation
import GRDB
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct DestroyingTests {
    private func files(_ fixture: StoreFixture) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: fixture.package.path).sorted()
    }

    /// A package that two devices wrote to, with closed stores.
    private func written() throws -> StoreFixture {
        let fixture = try StoreFixture()
        for device in ["anna", "ben"] {
            let store = try fixture.store(device)
            try store.set(1, forKey: device)
            try store.blobs.put(Data([1]), at: "photos/\(device)/1.jpg")
            try store.close()
        }
        return fixture
    }

    @Test func logsAndBlobsOfAllDevicesAreDeletedWithThePackage() throws {
        let fixture = try written()
        try KeyValueStore.destroy(storeAt: fixture.package.path)
        #expect(!FileManager.default.fileExists(atPath: fixture.package.path))
        let error = #expect(throws: ReplicationError.self) {
            try KeyValueStore.destroy(storeAt: fixture.package.path)
        }
        #expect(error?.code == .notFound)
        let store = try KeyValueStore(path: fixture.package.path, device: "anna")
        try store.load()
        #expect(store.count == 0)
        try store.close()
    }

    @Test func otherDatabasesAndFilesStay() throws {
        let fixture = try written()
        let outside = fixture.folder.appending("outside.txt")
        let devices = "\(fixture.package.path)/Devices"
        for path in [outside, "\(devices)/anna/Entities.db", "\(devices)/ben/Logs.db.old"] {
            try Data([1]).write(to: URL(fileURLWithPath: path))
        }
        try FileManager.default.createSymbolicLink(
            atPath: "\(fixture.package.path)/Blobs/link", withDestinationPath: outside)
        try KeyValueStore.destroy(storeAt: fixture.package.path)
        #expect(
            try files(fixture) == [
                "Devices", "Devices/anna", "Devices/anna/Entities.db", "Devices/ben",
                "Devices/ben/Logs.db.old",
            ])
        #expect(FileManager.default.fileExists(atPath: outside))
    }

    @Test func openStoreIsNotDestroyed() throws {
        let fixture = try written()
        let before = try files(fixture)
        let store = try fixture.store(nil)
        let error = #expect(throws: ReplicationError.self) {
            try KeyValueStore.destroy(storeAt: fixture.package.path)
        }
        #expect(error?.code == .busy && error?.reason.contains("close it first") == true)
        #expect(try files(fixture) == before && store.count == 2)
        try store.close()
        try KeyValueStore.destroy(storeAt: fixture.package.path)
    }

    @Test func nothingIsDeletedWhileALogIsLocked() throws {
        let fixture = try written()
        let before = try files(fixture)
        let queue = try DatabaseQueue(path: fixture.logPath("ben"))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            let error = #expect(throws: ReplicationError.self) {
                try KeyValueStore.destroy(storeAt: fixture.package.path)
            }
            #expect(error?.code == .busy)
            try db.execute(sql: "ROLLBACK")
        }
        try queue.close()
        #expect(try files(fixture) == before)
    }

    @Test func folderThatIsNotAPackageIsRefused() throws {
        let folder = try TemporaryFolder()
        try Data([1]).write(to: folder.url.appending(path: "Logs.db"))
        let error = #expect(throws: ReplicationError.self) {
            try KeyValueStore.destroy(storeAt: folder.url.path)
        }
        #expect(error?.code == .notAPackage)
        #expect(FileManager.default.fileExists(atPath: folder.appending("Logs.db")))
    }
}
