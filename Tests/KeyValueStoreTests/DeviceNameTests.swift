import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// The files with devices' names, which any program may have created.
@Suite struct DeviceNameTests {
    private let folder: TemporaryFolder
    private let package: StorePackage

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("p"))
    }

    @Test func devicesHaveTheNamesOfTheirInfoFiles() throws {
        let info: PropertyList = ["deviceName": "Ada's phone", "other": [1, true]]
        try package.blobs.put(info.binary(), at: "info/phone.plist")
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/x.dtd">
            <plist version="1.0"><dict><key>deviceName</key><string>Desk &amp; lamp</string></dict>
            </plist>
            """
        try package.blobs.put(Data(xml.utf8), at: "info/desk.plist")
        try package.blobs.put(Data("no list".utf8), at: "info/laptop.plist")
        try package.blobs.put(Data(count: 5_000), at: "info/tablet.plist")
        #expect(
            package.deviceNames() == [
                try DeviceID("phone"): "Ada's phone", try DeviceID("desk"): "Desk & lamp",
            ])
    }

    @Test func recursiveSetIsNotADeviceName() throws {
        // Object 0: a set with one element, object 0.
        let list = Self.list(objects: [[0xC1, 0x00]])
        #expect(list.count < 64)
        try package.blobs.put(list, at: "info/phone.plist")
        #expect(package.deviceNames().isEmpty)
    }

    @Test func nestedSharedArraysAreNotADeviceName() throws {
        // Each array contains the next one 14 times: 14 to the power of 15 elements in total.
        let levels = (0..<15).map { level in
            [0xAE] + [UInt8](repeating: UInt8(level + 1), count: 14)
        }
        let list = Self.list(objects: levels + [[0x08]])
        #expect(list.count < 300)
        try package.blobs.put(list, at: "info/phone.plist")
        #expect(package.deviceNames().isEmpty)
    }

    @Test func irregularFileIsNotADeviceName() throws {
        let named: PropertyList = ["deviceName": "x"]
        try package.blobs.put(named.binary(), at: "info/a.plist")
        let info = "\(package.path)/Blobs/info"
        #expect(mkfifo("\(info)/phone.plist", 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: "\(info)/desk.plist", withDestinationPath: "\(info)/a.plist")
        #expect(package.deviceNames() == [try DeviceID("a"): "x"])
    }

    /// A binary property list of these objects, of which the first is the root.
    private static func list(objects: [[UInt8]]) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [objects.count, 0, table] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
        }
        return Data(bytes)
    }

    @Test func nameIsSetAndOtherEntriesStay() throws {
        let device = try DeviceID("a")
        try package.setDeviceName("Desk", of: device)
        #expect(package.deviceNames() == [device: "Desk"])
        #expect(try package.blobs.entries().map(\.path) == ["info/a.plist"])

        try package.blobs.delete("info/a.plist")
        let info: PropertyList = .dictionary(["deviceName": "old", "model": "x"])
        try package.blobs.put(Data(try info.binary()), at: "info/a.info")
        try package.setDeviceName("new", of: device)
        let new = try PropertyList(propertyListFile: try package.blobs.data(at: "info/a.info"))
        #expect(new == .dictionary(["deviceName": "new", "model": "x"]))
        #expect(try package.blobs.entries().count == 1)
    }

    @Test func fileThatCannotBeReadCompletelyIsNotReplaced() throws {
        let device = try DeviceID("a")
        let note = String(repeating: "x", count: 5_000)
        let long: PropertyList = ["deviceName": "old", "note": .string(note)]
        for data in [Data(try long.binary()), Data("no list".utf8), Data()] {
            try package.blobs.put(data, at: "info/a.plist")
            #expect(throws: ReplicationError.self) { try package.setDeviceName("b", of: device) }
            #expect(try package.blobs.data(at: "info/a.plist") == data)
        }
    }

    @Test func nameThatNoReaderWouldAcceptIsNotWritten() throws {
        let device = try DeviceID("a")
        let note = String(repeating: "x", count: 3_950)
        let info: PropertyList = ["deviceName": "old", "note": .string(note)]
        try package.blobs.put(Data(try info.binary()), at: "info/a.plist")
        #expect {
            try package.setDeviceName(String(repeating: "y", count: 200), of: device)
        } throws: {
            ($0 as? ReplicationError)?.code == .invalidDevice
        }
        #expect(package.deviceNames() == [device: "old"])
    }

    @Test func blanksAtTheEndsAreLeftOutAndJoinersStay() throws {
        let device = try DeviceID("a")
        try package.setDeviceName("  👩‍🚀 desk ", of: device)
        #expect(package.deviceNames() == [device: "👩‍🚀 desk"])
        try package.setDeviceName(nil, of: device)
        #expect(try package.blobs.entries().isEmpty)
    }

    @Test(
        arguments: [
            "", " \t", "two\nlines", "two\u{2028}lines", "right\u{202E}left",
            String(repeating: "x", count: 201),
        ])
    func invalidNameIsRefused(_ name: String) throws {
        #expect {
            try package.setDeviceName(name, of: try DeviceID("a"))
        } throws: {
            ($0 as? ReplicationError)?.code == .invalidDevice
        }
        #expect(package.deviceNames().isEmpty)
    }
}
