import Foundation
import TestSupport
import Testing

/// `tideline doctor` as scripts see it, and the commands that it suggests.
@Suite struct DoctorCommandTests {
    private static let mark = ".sync-conflict-20260101-120000-ABC2DEF"
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        // A shell needs quotes around this name.
        store = folder.appending("Anna's notes.store")
        try #require(tideline("kv", "create", store).status == 0)
        for number in 0..<5 {
            try #require(tideline("kv", "set", store, "k\(number)", "v").status == 0)
            try #require(tideline("kv", "set", store, "p\(number)", "v", as: "phone").status == 0)
        }
        try #require(
            tideline("entities", "add", store, "--type", "note", "--id", "n", "title=x").status == 0
        )
    }

    private func environment(_ device: String?) -> [String: String] {
        var environment = ["XDG_STATE_HOME": folder.appending("state"), "HOME": folder.path]
        environment["TIDELINE_DEVICE"] = device
        return environment
    }

    private func tideline(
        _ arguments: String..., as device: String? = "desk"
    ) throws -> ProgramResult {
        try ProgramResult.running("tideline", arguments, environment: environment(device))
    }

    /// Runs a command line as a user would.
    private func shell(_ command: String) throws -> ProgramResult {
        let program = URL(filePath: Programs.built("tideline")).deletingLastPathComponent().path
        return try ProgramResult.running(
            executable: "/bin/sh", ["-c", "PATH=\(program):$PATH; \(command)"],
            environment: environment("desk"))
    }

    private func findings(
        as device: String? = "desk"
    ) throws -> [[String: Any]] {
        let result = try tideline("doctor", store, "--json", as: device)
        let found = try result.output.jsonObjects()
        let isWrong = found.contains { $0["severity"] as? String != "note" }
        #expect(result.status == (isWrong ? 1 : 0))
        return found
    }

    private func command(_ code: String) throws -> String {
        let found = try #require(try findings().first { $0["code"] as? String == code })
        return try #require(found["command"] as? String)
    }

    private func copy(_ from: String, _ to: String) throws {
        try FileManager.default.copyItem(atPath: "\(store)/\(from)", toPath: "\(store)/\(to)")
    }

    private func change(_ device: String, _ sql: String) throws {
        try runSQL(sql, at: "\(store)/Devices/\(device)/Logs.db")
    }

    @Test func soundStoreIsReportedAsSound() throws {
        let before = try FolderState(of: store)
        let result = try tideline("doctor", store)
        #expect(result.status == 0 && result.output == "\(store): no problems found\n")
        #expect(try findings().isEmpty)
        #expect(try FolderState(of: store) == before)
    }

    @Test func findingIsPrintedInPartsAndSetsTheExitCode() throws {
        try change("phone", "DELETE FROM log WHERE id = 2")
        let found = try #require(try findings().first)
        #expect(
            Set(found.keys)
                == ["code", "severity", "device", "file", "finding", "remedy", "command"])
        #expect(found["code"] as? String == "gap" && found["device"] as? String == "phone")
        #expect(found["file"] as? String == "Devices/phone/Logs.db")
        #expect(found["command"] is NSNull)
        let text = try tideline("doctor", store)
        #expect(text.status == 1)
        #expect(text.output.hasPrefix("error    Devices/phone/Logs.db: row 2 is missing"))
        #expect(text.errors.contains("found 1 problem"))
    }

    @Test func missingFileIsNotAnInput() throws {
        #expect(try tideline("doctor", folder.appending("nothing")).status == 66)
        #expect(try tideline("doctor").status == 64)
    }

    @Test func onlyRepairChangesFilesAndOnlyThoseOfThisDevice() throws {
        for device in ["desk", "phone"] { try change(device, "DELETE FROM log WHERE id = 2") }
        try copy("Devices/phone/Logs.db", "Devices/phone/Logs\(Self.mark).db")
        let before = try FolderState(of: store)
        #expect(try tideline("doctor", store).status == 1)
        #expect(try tideline("doctor", store, "--json", as: nil).status == 1)
        #expect(try tideline("doctor", store, "--repair", as: nil).status == 1)
        #expect(try FolderState(of: store) == before)
        let phone = try FolderState(of: "\(store)/Devices/phone")
        let repaired = try tideline("doctor", store, "--repair", "--json")
        #expect(repaired.output.contains("\"done\":true"))
        #expect(try FolderState(of: "\(store)/Devices/phone") == phone)
    }

    @Test func deviceOfTheSettingsIsThisDevice() throws {
        try change("desk", "DELETE FROM log WHERE id = 2")
        let settings = folder.appending(".config/tideline")
        try FileManager.default.createDirectory(
            atPath: settings, withIntermediateDirectories: true)
        try Data("device: desk\n".utf8).write(to: URL(filePath: settings + "/config.yaml"))
        let result = try tideline("doctor", store, "--repair", as: nil)
        #expect(result.output.hasPrefix("repaired Devices/desk/Logs.db"), "\(result.output)")
    }

    @Test func deviceToRepairCanBeNamed() throws {
        try #require(tideline("devices", store, "--name", "Anna's desk").status == 0)
        try change("desk", "DELETE FROM log WHERE id = 2")
        let result = try tideline(
            "doctor", store, "--repair", "--device", "Anna's desk", as: "phone")
        #expect(result.output.hasPrefix("repaired Devices/desk/Logs.db"), "\(result.output)")
    }

    @Test func printedCommandRepairsAGapInThisDevicesLog() throws {
        try change("desk", "DELETE FROM log WHERE id = 2")
        #expect(try tideline("kv", "set", store, "new", "v").status != 0)
        let result = try shell(try command("gap"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.output.hasPrefix("repaired Devices/desk/Logs.db: rebuilt with 4"))
        #expect(try findings().map { $0["code"] as? String } == ["kept"])
        #expect(try tideline("kv", "set", store, "new", "v").status == 0)
        #expect(try tideline("kv", "list", store, "--json").output.contains("\"k4\":\"v\""))
        // The suggested command deletes the kept file.
        #expect(try shell(try command("kept")).status == 0)
        #expect(try findings().isEmpty)
    }

    @Test func printedCommandMergesAConflictCopy() throws {
        try copy("Devices/phone/Logs.db", "Devices/phone/Logs\(Self.mark).db")
        try FileManager.default.removeItem(atPath: "\(store)/Devices/phone/Logs.db")
        #expect(!(try tideline("kv", "list", store, "--json").output.contains("p4")))
        let result = try shell(try command("conflict-copy"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try tideline("kv", "list", store, "--json").output.contains("\"p4\":\"v\""))
    }

    @Test func printedCommandMergesACopyOfEntities() throws {
        try copy("Devices/desk/Entities.db", "Devices/desk/Entities\(Self.mark).db")
        try #require(tideline("entities", "delete", store, "n").status == 0)
        let result = try shell(try command("conflict-copy"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("1 entity created"))
    }

    @Test func printedCommandMergesACopiedFolder() throws {
        try copy("Devices/phone", "Devices/phone copy")
        let result = try shell(try command("device-copy"))
        #expect(result.status == 0, "\(result.errors)")
        try FileManager.default.removeItem(atPath: "\(store)/Devices/phone copy")
        #expect(try findings().isEmpty)
    }

    @Test func printedCommandsKeepTheOnlyFilesOfARenamedFolder() throws {
        let devices = "\(store)/Devices"
        try FileManager.default.moveItem(atPath: "\(devices)/desk", toPath: "\(devices)/table")
        // There is one finding for the log of keys, and one for the log of entities.
        for _ in 0..<2 {
            let result = try shell(try command("device-copy"))
            #expect(result.status == 0, "\(result.errors)")
        }
        #expect(try findings().isEmpty)
        #expect(try tideline("kv", "get", store, "k4").status == 0)
        #expect(try tideline("entities", "show", store, "n").status == 0)
    }

    @Test func printedCommandDeletesALinkButNotItsTarget() throws {
        let target = folder.appending("target")
        try "here".write(toFile: target, atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(
            atPath: "\(store)/Blobs", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(store)/Blobs/a link", withDestinationPath: target)
        #expect(try shell(try command("unsafe-entry")).status == 0)
        #expect(try findings().isEmpty)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "here")
    }

    @Test func logThatIsNotDownloadedIsNotReplaced() throws {
        let log = "\(store)/Devices/desk/Logs.db"
        try FileManager.default.moveItem(atPath: log, toPath: log + ".nextcloud")
        let result = try tideline("kv", "set", store, "new", "v")
        #expect(result.status != 0)
        #expect(result.errors.contains("Nextcloud has not downloaded"))
        #expect(!FileManager.default.fileExists(atPath: log))
        let listed = try tideline("kv", "list", store)
        #expect(listed.errors.contains("Nextcloud has not downloaded"))
        try FileManager.default.moveItem(atPath: log + ".nextcloud", toPath: log)
        #expect(try tideline("kv", "set", store, "new", "v").status == 0)
        #expect(try tideline("kv", "get", store, "k4").status == 0)
    }

    @Test func conflictCopyOfACatalogIsDeletedOnlyIfItHasTheSameBytes() throws {
        let catalog = "\(store)/Devices/desk/Catalog.db"
        try #require(tideline("servers", "create", catalog).status == 0)
        try copy("Devices/desk/Catalog.db", "Devices/desk/Catalog\(Self.mark).db")
        #expect(try command("conflict-copy").hasPrefix("rm "))
        let path = "\(store)/Devices/desk/Catalog\(Self.mark).db"
        try runSQL("INSERT INTO databaseMetadata (key, value) VALUES ('k', 'v')", at: path)
        #expect(try command("conflict-copy").hasPrefix("tideline diff "))
        try FileManager.default.removeItem(atPath: catalog)
        let found = try #require(try findings().first { $0["code"] as? String == "conflict-copy" })
        #expect(found["command"] is NSNull)
        #expect((found["remedy"] as? String)?.contains("rename the copy") == true)
    }

    @Test func printedCommandKeepsTheOnlyVersionOfABlob() throws {
        let text = folder.appending("a.txt")
        try "one".write(toFile: text, atomically: true, encoding: .utf8)
        try #require(tideline("blobs", "put", store, "trip/a.txt", text).status == 0)
        try FileManager.default.moveItem(
            atPath: "\(store)/Blobs/trip/a.txt", toPath: "\(store)/Blobs/trip/a\(Self.mark).txt")
        #expect(try shell(try command("conflict-copy")).status == 0)
        #expect(try findings().isEmpty)
        #expect(try tideline("blobs", "get", store, "trip/a.txt").output == "one")
    }

    @Test func printedCommandDeletesNoContent() throws {
        let text = folder.appending("a.txt")
        try "one".write(toFile: text, atomically: true, encoding: .utf8)
        try #require(tideline("blobs", "put", "--", store, "-a.txt", text).status == 0)
        try "two".write(
            toFile: "\(store)/Blobs/-a\(Self.mark).txt", atomically: true, encoding: .utf8)
        let result = try shell(try command("conflict-copy"))
        #expect(result.status == 0 && result.output.contains("differs"))
        #expect(try findings().count == 1)
        #expect(try tideline("blobs", "get", "--", store, "-a.txt").output == "one")
    }

    @Test func printedCommandDeletesTheConflictCopyOfABlob() throws {
        let text = folder.appending("a.txt")
        try "one".write(toFile: text, atomically: true, encoding: .utf8)
        try #require(tideline("blobs", "put", store, "trip/a.txt", text).status == 0)
        try copy("Blobs/trip/a.txt", "Blobs/trip/a\(Self.mark).txt")
        #expect(try shell(try command("conflict-copy")).status == 0)
        #expect(try findings().isEmpty)
    }

    @Test(arguments: ["/dev/zero", "/dev/null"])
    func recoveryIsNotSuggestedForSpecialFiles(_ path: String) throws {
        let result = try tideline("doctor", path)
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("error    \(path): "))
        #expect(!result.output.contains("sqlite3"), "\(result.output)")
    }

    @Test func printedCommandRepairsADamagedEntityFile() throws {
        let notes = (0..<300).map { "{\"identifier\":\"\($0)\",\"type\":\"note\",\"title\":\"t\"}" }
        let file = folder.appending("notes.json")
        try Data("{\"entities\":[\(notes.joined(separator: ","))]}".utf8)
            .write(to: URL(filePath: file))
        try #require(tideline("entities", "import", store, file).status == 0)
        let path = "\(store)/Devices/desk/Entities.db"
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes.replaceSubrange((bytes.count - 4096)..., with: Data(repeating: 0xFF, count: 4096))
        try bytes.write(to: URL(filePath: path))
        let found = try #require(try findings().first { $0["code"] as? String == "damaged" })
        // The file is named once.
        #expect(found["problem"] == nil && !"\(found["finding"] ?? "")".contains("Entities.db"))
        #expect(try shell(command("damaged")).output.contains("with "))
        #expect(try findings().allSatisfy { $0["severity"] as? String == "note" })
        #expect(try tideline("entities", "list", store, "--json").output.contains("\"title\""))
        #expect(try tideline("entities", "add", store, "--type", "note").status == 0)
    }
}
