import Foundation
import TestSupport
import Testing
import TidelineCore

/// `tideline devices`: the devices of a package, and what each has seen of the others.
@Suite struct DevicesCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// desk writes `a`, phone builds on it, and pad writes `a` without having seen either.
    init() throws {
        folder = try TemporaryFolder()
        store = folder.appending("Notes.store")
        let apart = folder.appending("Apart.store")
        for path in [store, apart] { try #require(tideline("kv", "create", path).status == 0) }
        try #require(tideline("kv", "set", store, "a", "1").status == 0)
        try #require(tideline("kv", "set", store, "a", "2", device: "phone").status == 0)
        try #require(tideline("kv", "set", store, "b", "1").status == 0)
        try #require(tideline("kv", "set", apart, "a", "3", device: "pad").status == 0)
        try FileManager.default.moveItem(
            atPath: apart + "/Devices/pad", toPath: store + "/Devices/pad")
    }

    private func tideline(_ arguments: String..., device: String = "desk") throws -> ProgramResult {
        try ProgramResult.tideline(arguments, home: folder, device: device)
    }

    private func objects(_ arguments: String...) throws -> [[String: Any]] {
        try ProgramResult.tideline(arguments, home: folder).output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func devicesAreListedAsInInfo() throws {
        let info = try tideline("info", store).output.split(separator: "\n")
        let devices = try tideline("devices", store).output.split(separator: "\n")
        #expect(devices.count == 4)
        #expect(info.contains(devices))
        let listed = try objects("devices", store, "--json") as NSArray
        #expect(listed == (try objects("info", store, "--json")[0]["devices"] as? NSArray))
    }

    @Test func seenRowsArePrintedForEachPair() throws {
        let before = try FolderState(of: store)
        let rows = try objects("log", store, "--json")
        let first = try #require(rows.first { $0["device"] as? String == "desk" })
        let devices = try objects("devices", store, "--seen", "--json")
        #expect(devices.map { $0["device"] as? String } == ["desk", "pad", "phone"])
        let seen = try devices.map { try #require($0["seen"] as? [String: Any]) }
        #expect(seen[0] as NSDictionary == ["pad": NSNull(), "phone": NSNull()])
        #expect(seen[1] as NSDictionary == ["desk": NSNull(), "phone": NSNull()])
        #expect(seen[2]["pad"] is NSNull)
        let entry = try #require(seen[2]["desk"] as? [String: Any])
        #expect(
            entry as NSDictionary == [
                "timestamp": first["timestamp"] as Any, "date": first["date"] as Any,
                "rowsBehind": 1, "unseenConflicts": [String](),
            ])
        #expect(try FolderState(of: store) == before)
    }

    @Test func textNamesWhatWasNeverSeen() throws {
        let result = try tideline("devices", store, "--seen")
        #expect(result.status == 0 && result.errors.isEmpty)
        let lines = result.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.count == 4 + 7)
        #expect(lines.contains(["desk", "phone", "never", "1", "1"]))
        #expect(lines.contains(["pad", "desk", "never", "2", "0"]))
        let phone = try #require(lines.first { $0.starts(with: ["phone", "desk"]) })
        #expect(phone.last == "0" && phone.dropLast(2).last == "1")
    }

    @Test func newestSeenRowIsInTheLogOfTheOtherDevice() throws {
        try #require(tideline("resolve", store, "a", "--take", "pad").status == 0)
        let devices = try objects("devices", store, "--seen", "--json")
        let seen = try #require(devices[0]["seen"] as? [String: [String: Any]])
        #expect(seen.keys.sorted() == ["pad", "phone"])
        #expect(seen.values.allSatisfy { $0["rowsBehind"] as? Int == 0 })
    }

    @Test func unreadableLogIsReportedAndTheRestIsShown() throws {
        let log = URL(filePath: store + "/Devices/desk/Logs.db")
        try Data("SQLite format 3\0 and then nothing".utf8).write(to: log)
        let result = try tideline("devices", store, "--seen", "--json")
        #expect(result.status == 0 && result.errors.contains("desk"))
        let phone = try #require(result.output.split(separator: "\n").last)
        #expect(phone.contains(#""desk":{"date":""#) && phone.contains(#""rowsBehind":0"#))
    }

    @Test func pathThatIsNotAPackageIsRefused() throws {
        let log = store + "/Devices/desk/Logs.db"
        for arguments in [["devices", log], ["devices", log, "--seen", "--json"]] {
            let result = try ProgramResult.tideline(arguments, home: folder)
            #expect(result.status == 65 && result.output.isEmpty)
            #expect(result.errors.contains("not a store package"))
        }
        #expect(try tideline("devices", folder.appending("nowhere")).status == 66)
        #expect(try tideline("devices", folder.path).status == 65)
        #expect(try tideline("devices").status == 64)
    }

    @Test func packageWithoutKeysHasSeenNothing() throws {
        let entities = folder.appending("Entities.store")
        try #require(tideline("entities", "create", entities).status == 0)
        for device in ["desk", "phone"] {
            try #require(
                tideline("entities", "add", entities, "--type", "note", device: device).status == 0)
        }
        let devices = try objects("devices", entities, "--seen", "--json")
        #expect(devices.map { $0["rows"] as? Int ?? 0 }.allSatisfy { $0 > 0 })
        #expect(devices[0]["seen"] as? NSDictionary == ["phone": NSNull()])
    }

    @Test func ownDeviceGetsAName() throws {
        let named = try tideline("devices", store, "--name", "Anna's desk")
        #expect(named.status == 0 && named.output.contains("Anna's desk"))
        #expect(try tideline("kv", "set", store, "c", "1", "--device", "Anna's desk").status == 0)
        #expect(try objects("devices", store, "--json").count == 3)
        #expect(try tideline("devices", store, "--name", "").status == 64)
    }
}
