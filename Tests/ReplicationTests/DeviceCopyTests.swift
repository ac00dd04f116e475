import Foundation
import GRDB
import Replication
import TestSupport
import Testing

/// A device's folder that a service or a user copied is not a device.
@Suite struct DeviceCopyTests {
    private let folder: TemporaryFolder
    private let package: StorePackage

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
    }

    private func makeLog(_ name: String, _ kind: DatabaseKind = .logs) throws {
        let device = try DeviceID(name)
        let local = LocalDatabase(kind, of: device, in: package) { database in
            guard try LogIdentity.fetch(from: database) == nil else { return }
            try LogIdentity(format: "test-1", device: device).insert(into: database)
        }
        try local.write { _ in }
        local.close()
    }

    private func copyFolder(_ name: String, to copy: String) throws {
        try FileManager.default.copyItem(
            atPath: "\(package.path)/Devices/\(name)", toPath: "\(package.path)/Devices/\(copy)")
    }

    private static let names: [(String, SyncServiceFile.Service?)] = [
        ("phone (Anna's conflicted copy 2026-11-21)", .dropbox),
        ("phone (Unicode Encoding Conflict)", .dropbox),
        ("phone (conflicted copy 2026-11-21 120000)", .nextcloud),
        ("phone_conflict-20261121-120000", .nextcloud), ("phone 2", .iCloud),
        ("phone (1)", .googleDrive), ("phone [Conflict]", .googleDrive),
        ("phone.sync-conflict-20261121-120000-ABCDEFG", .syncthing),
        ("phone-DESKTOP-1234", .oneDrive), ("phone.Conflict", .resilio),
        ("phone (SFConflict ada@example.com 2026-11-21-12-00-00)", .seafile),
        ("phone.conflict1", .rclone), ("phone..path2", .rclone),
        ("phone_NAS_Nov-21-120000-2026_Conflict", nil), ("phone copy", nil),
        ("phone copy 2", nil), ("phone - Copy", nil), ("phone - Copy (2)", nil), ("phone~", nil),
    ]

    @Test(arguments: names)
    func copyOfEachServiceIsRecognizedByNameAndContent(
        name: String, service: SyncServiceFile.Service?
    ) throws {
        try makeLog("phone")
        try copyFolder("phone", to: name)
        let found = try #require(try package.devices().first { $0.id.name == name }?.copy)
        #expect(found.original.name == "phone")
        #expect(found.service == service)
        #expect(found.isCertain)
        #expect(found.suggestion.action == .mergeCopy)
        #expect(try package.device(DeviceID(name)).copy == found)
        #expect(try package.device(DeviceID("phone")).copy == nil)
        expectCode(.deviceCopy) { try package.device(DeviceID(name)).checkIsNoCopy() }
    }

    @Test func deviceNamedLikeACopyIsADevice() throws {
        try makeLog("phone")
        try makeLog("phone 2")
        #expect(try package.devices().map { $0.copy == nil } == [true, true])
        try package.devices().forEach { try $0.checkIsNoCopy() }
    }

    @Test func copyNameWithoutOriginalIsNotACopy() throws {
        try makeLog("phone 2")
        #expect(try package.devices().map(\.copy) == [nil])
    }

    @Test func copyByNameAloneIsUncertain() throws {
        for name in ["phone", "phone 2"] {
            let device = try package.makeDeviceFolder(DeviceID(name))
            try runSQL("CREATE TABLE t(x)", at: device.path(of: .catalog))
        }
        let found = try #require(try package.devices().last?.copy)
        #expect(!found.isCertain)
        try package.devices().forEach { try $0.checkIsNoCopy() }
    }

    @Test func copiesOfCoreDataStoresAreRecognizedByTheirIdentity() throws {
        for (name, identity) in [("phone", "A"), ("phone 2", "A"), ("phone 3", "B")] {
            let device = try package.makeDeviceFolder(DeviceID(name))
            try runSQL(
                """
                CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR);
                INSERT INTO Z_METADATA VALUES
                    (1, '00000000-0000-0000-0000-00000000000\(identity)');
                """, at: device.path(of: .logs))
        }
        #expect(try package.devices().map { $0.copy?.isCertain } == [nil, true, false])
    }
}
