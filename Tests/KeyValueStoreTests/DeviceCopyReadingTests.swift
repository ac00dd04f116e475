import Foundation
import KeyValueStore
import Replication
import Testing

/// A copied device folder in a package.
@Suite struct DeviceCopyReadingTests {
    private let fixture: StoreFixture

    /// Two devices in conflict about one key.
    init() throws {
        fixture = try StoreFixture()
        let stores = try ["anna", "ben"].map { try fixture.store($0) }
        for (number, store) in stores.enumerated() {
            try store.set(.integer(Int64(number)), forKey: "k")
            try store.set("x", forKey: "only/\(number)")
            try store.save()
            try store.close()
        }
    }

    private func copy(_ device: String, to name: String) throws {
        let devices = fixture.package.path + "/Devices/"
        try FileManager.default.copyItem(atPath: devices + device, toPath: devices + name)
    }

    @Test(arguments: ["ben (Anna's conflicted copy 2026-11-21)", "ben-laptop", "holidays"])
    func copyIsReportedAndNotRead(name: String) throws {
        let before = try fixture.store(nil)
        try copy("ben", to: name)
        let store = try fixture.store(nil)
        #expect(store.everything == before.everything)
        #expect(store.conflictCount == 1)
        #expect(try store.conflicts().map(\.others) == before.conflicts().map(\.others))
        #expect(store.rowCount == before.rowCount)
        let status = try #require(store.devices.first { $0.device.name == name })
        #expect(status.state == .unreadable)
        #expect(status.problem?.contains("ben") == true)
        #expect(status.suggestion?.action == .mergeCopy)
    }

    @Test func copyThatArrivesInAnOpenStoreIsReportedAndNotRead() throws {
        let store = try fixture.store(nil)
        let before = store.everything
        try copy("anna", to: "anna 2")
        try store.sync()
        #expect(store.everything == before)
        #expect(store.conflictCount == 1)
        let status = try #require(store.devices.first { $0.device.name == "anna 2" })
        #expect(status.state == .unreadable && status.suggestion?.action == .mergeCopy)
    }

    @Test func deviceNamedLikeACopyIsRead() throws {
        let second = try fixture.store("ben 2")
        try second.set("mine", forKey: "second")
        try second.save()
        let store = try fixture.store(nil)
        #expect(store["second"] == "mine")
        #expect(store.devices.allSatisfy { $0.state == .ok && $0.problem == nil })
    }

    @Test func copyIsNotWrittenTo() throws {
        try copy("ben", to: "ben 2")
        let log = URL(filePath: fixture.logPath("ben 2"))
        let before = try Data(contentsOf: log)
        let store = try fixture.store("ben 2")
        #expect(throws: (any Error).self) {
            try store.set("mine", forKey: "second")
            try store.save()
        }
        #expect(try Data(contentsOf: log) == before)
    }

    @Test func canonicallyEqualKeysOfOneInstantAreBothMerged() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let other = try StoreFixture()
        try FileManager.default.removeItem(atPath: other.package.path)
        try FileManager.default.copyItem(
            atPath: fixture.package.path, toPath: other.package.path)
        let here = try fixture.store("anna")
        try here.set(contentsOf: [Name(composed): "v"])
        try here.save()
        let timestamp = try #require(here.newestTimestamp(forKey: composed))
        let there = try other.store("anna")
        _ = try there.insertChanges(
            [Change(timestamp: timestamp, key: decomposed, value: "v")], into: DeviceID("anna"),
            appendOnly: false)
        _ = try here.merge(there)
        #expect(here[composed] == "v")
        #expect(here[decomposed] == "v")
    }
}
