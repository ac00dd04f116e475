import Foundation
import GRDB
import Replication
import TestSupport
import Testing

/// Names are bytes: `é` as one scalar and as e with a combining accent are two names.
@Suite struct NameTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    private let folder: TemporaryFolder
    private let package: StorePackage

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
    }

    @Test func namesAreComparedAndOrderedByTheirBytes() throws {
        #expect(Self.composed == Self.decomposed, "as text")
        #expect(Name(Self.composed) != Name(Self.decomposed))
        #expect(Set([Name(Self.composed), Name(Self.decomposed)]).count == 2)
        #expect([Name("ä"), "b", "a", "B", ""].sorted().texts == ["", "B", "a", "b", "ä"])
        var values: [Name: Int] = ["plain": 0]
        values[Self.composed] = 1
        values[Self.decomposed] = 2
        values["plain", default: 5] += 1
        #expect(values[Self.composed] == 1)
        #expect(values[Self.decomposed] == 2)
        #expect(values["plain"] == 1)
        #expect(values.count == 3)
        #expect(try DeviceID(Self.composed) != DeviceID(Self.decomposed))
        #expect(Name(Self.decomposed).hasPrefix("cafe"))
        #expect(!Name(Self.composed).hasPrefix("cafe"))
    }

    @Test func namesAreOrderedByTheirBytes() {
        for seed in seeds(4) {
            var random = SeededRandom(seed: seed)
            let texts = (0..<80).map { _ in
                String(
                    (0..<Int.random(in: 0...20, using: &random)).map { _ in
                        "aab/é日".randomElement(using: &random) ?? "a"
                    })
            }
            for (lhs, rhs) in zip(texts, texts.dropFirst() + texts.prefix(1)) {
                for (lhs, rhs) in [(lhs, rhs), (lhs, lhs), (lhs, lhs + rhs)] {
                    #expect(
                        (Name(lhs) < Name(rhs))
                            == lhs.utf8.lexicographicallyPrecedes(rhs.utf8), "seed \(seed)")
                }
            }
        }
    }

    @Test func canonicallyEqualDevicesAndBlobsStayDistinct() throws {
        for (number, name) in [Self.composed, Self.decomposed].enumerated() {
            _ = try package.makeDeviceFolder(try DeviceID(name))
            try package.blobs.put(Data("\(number)".utf8), at: "trip/\(name).jpg")
        }
        let devices = try package.devices().map { Array($0.id.name.utf8) }
        #expect(devices == [Array(Self.decomposed.utf8), Array(Self.composed.utf8)])
        #expect(try package.blobs.entries().count == 2)
        let prefix = "trip/" + Self.composed
        #expect(try package.blobs.entries(prefix: prefix).map(\.byteCount) == [1])
        #expect(try package.blobs.data(at: "trip/\(Self.decomposed).jpg") == Data("1".utf8))
        try package.blobs.delete("trip/\(Self.decomposed).jpg")
        #expect(try package.blobs.data(at: "trip/\(Self.composed).jpg") == Data("0".utf8))
    }

    @Test func folderWithReencodedAccentsBelongsToItsDevice() throws {
        let device = try DeviceID(Self.composed)
        let local = LocalDatabase(.logs, of: device, in: package) { database in
            try LogIdentity(format: "test-1", device: device).insert(into: database)
        }
        try local.write { _ in }
        local.close()
        let devices = package.path + "/Devices/"
        #expect(rename(devices + Self.composed, devices + Self.decomposed) == 0)
        let listed = try package.devices()
        #expect(listed.map(\.id) == [device])
        #expect(listed.first?.path.hasSuffix("/" + Self.decomposed) == true)
        for name in [Self.composed, Self.decomposed] {
            let found = try package.device(DeviceID(name))
            #expect(found.id == device)
            #expect(found.has(.logs))
        }
        // Writing continues in the existing log.
        let made = try package.makeDeviceFolder(device)
        #expect(Name(made.path) == Name(devices + Self.decomposed))
        // If a folder with the exact name exists as well, it is the device's.
        try FileManager.default.createDirectory(
            atPath: devices + Self.composed, withIntermediateDirectories: false)
        let both = try package.devices().map { Name($0.id.name) }
        #expect(both == [Name(Self.decomposed), Name(Self.composed)])
    }

    @Test func nonUTF8NamesAreReportedUnambiguously() throws {
        let bytes: [UInt8] = Array("caf".utf8) + [0xE9]
        for folder in ["Devices", "Blobs"] {
            _ = mkdir("\(package.path)/\(folder)", 0o777)
            let path = Array("\(package.path)/\(folder)/".utf8)
            let raw = (path + bytes + [0]).map { CChar(bitPattern: $0) }
            #expect(mkdir(raw, 0o777) == 0)
        }
        let file = Array("\(package.path)/Blobs/x".utf8) + [0xFF, 0x0A, 0]
        let number = open(file.map { CChar(bitPattern: $0) }, O_WRONLY | O_CREAT, 0o666)
        #expect(number >= 0)
        close(number)
        // The text of this name is the escaped form of the other name.
        _ = try package.makeDeviceFolder(DeviceID("caf\\xE9"))
        #expect(try package.devices().map(\.id.name) == ["caf\\xE9"])
        #expect(try package.blobs.entries().isEmpty)
        #expect(
            try package.undecodableNames()
                == ["Devices/caf\\xE9", "Blobs/caf\\xE9", "Blobs/x\\xFF\\x0A"])
    }

    @Test func folderWithANonUTF8NameIsNotEmpty() throws {
        let path = folder.appending("full")
        #expect(mkdir(path, 0o777) == 0)
        let raw = (Array("\(path)/".utf8) + [0xFE, 0]).map { CChar(bitPattern: $0) }
        #expect(mkdir(raw, 0o777) == 0)
        expectCode(.cannotCreate) { try StorePackage(creating: path) }
    }

    @Test func slashWithACombiningAccentIsASlash() throws {
        let outside = folder.appending("outside")
        #expect(mkdir(outside, 0o777) == 0)
        try package.blobs.put(Data("x".utf8), at: "a/b")
        #expect(symlink(outside, package.path + "/Blobs/link") == 0)
        // Swift treats the slash and the accent as one character; the system sees a slash.
        expectCode(.unsafePath) { try package.blobs.put(Data("x".utf8), at: "link/\u{301}x") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
    }
}
