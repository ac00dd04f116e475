import Foundation
import Glibc
import Replication
import TestSupport
import Testing

@Suite struct StorePackageTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Notes.store")
    }

    private func make(_ relative: String, _ text: String = "x") throws {
        let url = URL(fileURLWithPath: path).appending(path: relative)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func link(_ relative: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/\(relative)", withDestinationPath: target)
    }

    @Test func otherFoldersAreRefusedWithTheReason() throws {
        let missing = expectCode(.notFound) { try StorePackage(opening: path) }
        #expect(missing?.message.contains(path) == true)
        try make("Devices", "a file in the place of the folder")
        expectCode(.notAPackage) { try StorePackage(opening: path) }
        expectCode(.notAPackage) { try StorePackage(opening: folder.path) }
        try make("file")
        expectCode(.notAPackage) { try StorePackage(opening: "\(path)/file") }
    }

    @Test func devicesBehindALinkAreNotAPackage() throws {
        try make("Elsewhere/phone/Logs.db")
        try link("Devices", to: "\(path)/Elsewhere")
        expectCode(.notAPackage) { try StorePackage(opening: path) }
    }

    @Test(arguments: ["Devices", "devices"])
    func bothSpellingsAreOpened(root: String) throws {
        try make("\(root)/phone/\(root == "Devices" ? "Logs.db" : "logs.db")")
        let package = try StorePackage(opening: path + "/")
        #expect(package.path == path)
        #expect(package.isLegacy == (root == "devices"))
        let phone = try #require(try package.devices().first)
        #expect(phone.has(.logs))
        let created = try package.makeDeviceFolder(try DeviceID("laptop"))
        #expect(created.path == "\(path)/\(root)/laptop")
        #expect(created.path(of: .logs).hasSuffix(root == "Devices" ? "/Logs.db" : "/logs.db"))
    }

    @Test func devicesOfBothSpellingsAreListedTogether() throws {
        try make("Devices/b/Logs.db")
        try make("devices/a/logs.db")
        let devices = try StorePackage(opening: path).devices()
        #expect(devices.map(\.id.name) == ["a", "b"])
        #expect(devices.allSatisfy { $0.has(.logs) })
    }

    @Test func deviceUnderBothSpellingsIsReported() throws {
        try make("Devices/a/Logs.db")
        try make("devices/a/logs.db")
        let device = try #require(try StorePackage(opening: path).devices().first)
        #expect(device.path(of: .logs) == "\(path)/Devices/a/Logs.db")
        #expect(device.findings.map(\.name) == ["../../devices/a/logs.db"])
        #expect(device.findings.map(\.role) == [.conflictCopy])
    }

    @Test func devicesAreListedInByteOrderWithoutOtherItems() throws {
        for name in ["ä", "b", "B", "a|c", ".hidden", "10"] {
            try make("Devices/\(name)/Logs.db")
        }
        try make("Devices/file")
        try make("Outside/Logs.db")
        try link("Devices/link", to: "\(path)/Outside")
        let devices = try StorePackage(opening: path).devices()
        #expect(devices.map(\.id.name) == ["10", "B", "a|c", "b", "ä"])
    }

    @Test func databasesAndFindingsAreListed() throws {
        for name in [
            "Logs.db", "logs.db", "Logs.db-journal", "Entities.db", "Catalog.db", "other.txt",
            "Logs.sync-conflict-20240101-120000-ABCDEFG.db", ".syncthing.Documents.db.tmp",
        ] {
            try make("Devices/phone/\(name)")
        }
        let phone = try StorePackage(opening: path).device(try DeviceID("phone"))
        #expect(Set(phone.fileNames.keys) == [.logs, .entities, .catalog])
        #expect(phone.path(of: .logs) == "\(path)/Devices/phone/Logs.db")
        #expect(phone.path(of: .documents) == "\(path)/Devices/phone/Documents.db")
        #expect(
            phone.findings.map(\.name) == [
                ".syncthing.Documents.db.tmp", "Logs.sync-conflict-20240101-120000-ABCDEFG.db",
                "logs.db",
            ])
        #expect(phone.findings.map(\.role) == [.temporary, .conflictCopy, .conflictCopy])
    }

    /// Not as root, who can read everything.
    @Test(.enabled(if: geteuid() != 0)) func unreadableFolderIsReported() throws {
        try make("Devices/phone/Logs.db")
        try make("Devices/tablet/Logs.db")
        let closed = "\(path)/Devices/phone"
        let file = "\(path)/Devices/tablet/Logs.db"
        #expect(chmod(closed, 0) == 0 && chmod(file, 0) == 0)
        defer { _ = chmod(closed, 0o700) }
        let package = try StorePackage(opening: path)
        let devices = try package.devices()
        #expect(devices.first?.problem?.contains("Permission") == true)
        #expect(devices.last?.has(.logs) == true)
        expectCode(.noPermission) { try ForeignDatabase.read(file) { _ in } }
        #expect(chmod("\(path)/Devices", 0o500) == 0)
        defer { _ = chmod("\(path)/Devices", 0o700) }
        expectCode(.noPermission) { try package.makeDeviceFolder(try DeviceID("laptop")) }
        #expect(chmod(path, 0) == 0)
        defer { _ = chmod(path, 0o700) }
        expectCode(.noPermission) { try StorePackage(opening: path) }
    }

    @Test func readingCreatesNothing() throws {
        try make("Devices/phone/Logs.db")
        let before = try FolderState(of: path)
        let package = try StorePackage(opening: path)
        _ = try package.devices()
        let own = try package.device(try DeviceID("laptop"))
        #expect(!own.exists)
        _ = try own.refreshed()
        _ = try package.blobs.entries()
        _ = try package.blobs.entry("a/b")
        let database = LocalDatabase(.logs, of: try DeviceID("laptop"), in: package) { _ in }
        #expect(try database.read { _ in 1 } == nil)
        #expect(try FolderState(of: path) == before)
    }

    @Test func folderIsCreatedOnceAndNeverThroughALink() throws {
        let package = try StorePackage(creating: path)
        let laptop = try DeviceID("laptop")
        let first = try package.makeDeviceFolder(laptop)
        #expect(first.exists)
        #expect(try package.makeDeviceFolder(laptop) == first)
        try make("Outside/file")
        try link("Devices/phone", to: "\(path)/Outside")
        expectCode(.unsafePath) { try package.makeDeviceFolder(try DeviceID("phone")) }
        try link("Devices/tablet", to: "\(path)/Nowhere")
        expectCode(.unsafePath) { try package.makeDeviceFolder(try DeviceID("tablet")) }
        #expect(!FileManager.default.fileExists(atPath: "\(path)/Nowhere"))
    }

    @Test func packageIsCreatedInAnEmptyOrMissingFolder() throws {
        let created = try StorePackage(creating: path)
        #expect(try created.devices().isEmpty)
        #expect(try StorePackage(creating: path) == created)
        let empty = folder.appending("Empty")
        try FileManager.default.createDirectory(
            atPath: empty, withIntermediateDirectories: false)
        #expect(try StorePackage(creating: empty).path == empty)
        try make("Full/file")
        expectCode(.cannotCreate) { try StorePackage(creating: "\(path)/Full") }
        expectCode(.cannotCreate) { try StorePackage(creating: "\(path)/Full/file") }
        expectCode(.cannotCreate) { try StorePackage(creating: "\(path)/None/New") }
    }

    @Test func otherFoldersAndFilesAreNotOpenedAsPackages() throws {
        try make("Full/file")
        let desk = try DeviceID("desk")
        expectCode(.notAPackage) { try StorePackage("\(path)/Full", writtenBy: desk) }
        expectCode(.notAPackage) { try StorePackage("\(path)/Full/file", writtenBy: desk) }
        expectCode(.notAPackage) { try StorePackage("\(path)/Full", writtenBy: nil) }
        expectCode(.cannotCreate) { try StorePackage("\(path)/None/New", writtenBy: desk) }
        #expect(try StorePackage("\(path)/New", writtenBy: desk).devices().isEmpty)
    }

    @Test func missingPackageIsNotFound() throws {
        let package = try StorePackage(creating: path)
        try FileManager.default.removeItem(atPath: path)
        #expect(!package.exists)
        expectCode(.notFound) { try package.devices() }
        expectCode(.notFound) { try package.makeDeviceFolder(try DeviceID("laptop")) }
    }
}
