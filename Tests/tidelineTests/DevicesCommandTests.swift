import DocumentStore
import Foundation
import TestSupport
import Testing
import TidelineCore

/// `tideline devices`: the devices of a package, and what each has seen of the others.
@Suite struct DevicesCommandTests: CommandSuite {
    let stage: CommandStage

    /// desk writes `a`, phone builds on it, and pad writes `a` without having seen either.
    init() throws {
        stage = try CommandStage()
        let apart = folder.appending("Apart.store")
        try #require(tideline("kv", "create", apart).status == 0)
        try #require(tideline("kv", "set", store, "a", "1").status == 0)
        try #require(tideline("kv", "set", store, "a", "2", device: "phone").status == 0)
        try #require(tideline("kv", "set", store, "b", "1").status == 0)
        try #require(tideline("kv", "set", apart, "a", "3", device: "pad").status == 0)
        try FileManager.default.moveItem(
            atPath: apart + "/Devices/pad", toPath: store + "/Devices/pad")
    }

    private func objects(_ arguments: String...) throws -> [[String: Any]] {
        try ProgramResult.tideline(arguments, home: folder).output.jsonObjects()
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

    @Test func unseenDevicesAreListedAsNever() throws {
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

    @Test func changesOfDocumentsAreCountedForEachPair() throws {
        let id = try tideline("docs", "new", store, "Plans").output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        for (device, key) in [("desk", "a"), ("phone", "b"), ("phone", "c")] {
            let result = try tideline("docs", "set", store, id, "/\(key)", "1", device: device)
            try #require(result.status == 0, "\(result.errors)")
        }
        let before = try FolderState(of: store)
        let heads = try objects("docs", "list", store, "--json")[0]["heads"]
        let devices = try objects("devices", store, "--seen", "--json")
        let documents = try devices.map { try #require($0["documents"] as? [String: Any]) }
        #expect(documents[2] as NSDictionary == [id: ["heads": heads, "changesBehind": 0]])
        let desk = try #require(documents[0][id] as? [String: Any])
        #expect(desk["changesBehind"] as? Int == 2 && (desk["heads"] as? [String])?.count == 1)
        #expect(documents[1].isEmpty)
        let seenByDesk = try #require(devices[0]["seenDocuments"] as? [String: [String: Any]])
        for (other, behind, documents) in [("pad", 0, []), ("phone", 2, [id])] {
            let seen = try #require(seenByDesk[other])
            #expect(seen["changes"] as? Int == 0 && seen["changesBehind"] as? Int == behind)
            #expect(seen["documentsBehind"] as? [String] == documents)
            for name in ["timestamp", "date", "secondsBehind"] { #expect(seen[name] is NSNull) }
        }
        let seenByPhone = try #require(devices[2]["seenDocuments"] as? [String: [String: Any]])
        #expect(seenByPhone["desk"]?["date"] is String)
        #expect(seenByPhone["desk"]?["secondsBehind"] as? Int == 0)
        let pad = try #require(devices[1]["seenDocuments"] as? [String: [String: Any]])
        #expect(pad["phone"]?["changesBehind"] as? Int == 2)
        let text = try tideline("devices", store, "--seen")
        #expect(text.status == 0 && text.errors.isEmpty)
        let lines = text.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.count == 4 + 7 + 7)
        #expect(lines.suffix(6).contains(["desk", "phone", "never", "0", "2", "1"]))
        #expect(lines.suffix(6).contains { $0.starts(with: ["phone", "desk"]) && $0.last == "0" })
        #expect(try FolderState(of: store) == before)
        // Without the option, documents are not opened.
        let brief = try objects("devices", store, "--json")
        #expect(!brief.isEmpty && brief.allSatisfy { $0["documents"] == nil })
    }

    @Test func peersOfAStorageFolderAreListedWithTheirHeads() throws {
        let folder = folder.appending("storage")
        let storage = try AutomergeStore(creatingStorageFolder: folder)
        let document = try storage.newWorkspace().index
        let id = storage.text(of: document.id)
        try storage.close()
        for number in 1...2 {
            let result = try tideline("docs", "set", folder, id, "/key", "\(number)")
            try #require(result.status == 0, "\(result.errors)")
        }
        let history = try objects("docs", "history", folder, id, "--json")
        let hashes = history.compactMap { $0["hash"] as? String }
        let states = "\(folder)/\(id.prefix(2))/\(id.dropFirst(2))/sync-state"
        try FileManager.default.createDirectory(
            atPath: states, withIntermediateDirectories: true)
        let digits = Array(hashes[hashes.count - 2])
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        try Data([0x43, 1] + bytes).write(to: URL(filePath: "\(states)/server-1"))
        try Data([0x43, 0]).write(to: URL(filePath: "\(states)/server-2"))
        try Data("damaged".utf8).write(to: URL(filePath: "\(states)/server-3"))
        let before = try FolderState(of: folder)
        let peers = try objects("devices", folder, "--seen", "--json") as NSArray
        #expect(
            peers == [
                [
                    "peer": "server-1",
                    "documents": [
                        id: ["heads": [hashes[hashes.count - 2]], "changesBehind": 1]
                    ],
                ],
                [
                    "peer": "server-2",
                    "documents": [id: ["heads": [String](), "changesBehind": hashes.count]],
                ],
            ])
        let text = try tideline("devices", folder, "--seen")
        let lines = text.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.map(\.first) == ["PEER", "server-1", "server-2"])
        #expect(lines.last == ["server-2", id[...], "none", "\(hashes.count)"])
        #expect(try FolderState(of: folder) == before)
        let plain = try tideline("devices", folder)
        #expect(plain.status == 65 && plain.errors.hasSuffix("devices --seen \(folder)\n"))
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
            #expect(result.errors.hasPrefix("tideline: \(log): "))
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
        for words in [["kv", "set", store, "c", "1"], ["log", store]] {
            let unknown = try ProgramResult.tideline(
                words + ["--device", "Anna's desc"], home: folder)
            #expect(unknown.status != 0 && unknown.errors.contains("Anna's desk"), "\(unknown)")
        }
        #expect(try tideline("devices", store, "--name", "").status == 64)
        #expect(try tideline("devices", store, "--name", "Anna's desk").status == 0)
        #expect(try tideline("undo", store, "--list").output.contains("name this device"))
        #expect(
            try !tideline("undo", store, "--list", device: "phone").output.contains("name this"))
    }
}
