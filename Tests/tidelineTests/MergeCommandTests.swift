import Foundation
import TestSupport
import Testing

/// The reports of `tideline merge` about content that it doesn't merge.
@Suite struct MergeCommandTests: CommandSuite {
    let stage: CommandStage
    private let other: String

    init() throws {
        stage = try CommandStage()
        other = stage.folder.appending("Other.store")
        try #require(tideline("kv", "set", store, "k", "v").status == 0)
        try #require(addNote("first", to: store).status == 0)
        try FileManager.default.copyItem(atPath: store, toPath: other)
    }

    private func addNote(_ name: String, to store: String) throws -> ProgramResult {
        try tideline("entities", "add", store, "--type", "note", "--id", name, "title=x")
    }

    @Test func unmergedEntitiesAreReported() throws {
        try #require(addNote("second", to: other).status == 0)
        let result = try tideline("merge", store, other)
        #expect(result.status == 65)
        #expect(result.errors.contains("Devices/desk/Entities.db"))
        #expect(result.errors.contains("tideline entities export"))
        #expect(result.errors.contains("before you delete"))
    }

    @Test func fileThatTheStoreLacksCanBeCopied() throws {
        let write = [
            "entities", "add", other, "--type", "note", "--id", "second", "title=x", "--device",
            "phone", "--new-device",
        ]
        try #require(ProgramResult.tideline(write, home: folder).status == 0)
        let result = try tideline("merge", store, other)
        #expect(result.status == 65)
        let file = "Devices/phone/Entities.db"
        #expect(result.errors.contains("cp -n \(other)/\(file) \(store)/\(file)"))
        try FileManager.default.createDirectory(
            atPath: store + "/Devices/phone", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(other)/\(file)", toPath: "\(store)/\(file)")
        #expect(try tideline("merge", store, other).status == 0)
    }

    @Test func fullyContainedCopyIsMergedSilently() throws {
        try #require(addNote("second", to: store).status == 0)
        try #require(tideline("kv", "set", other, "l", "w").status == 0)
        let result = try tideline("merge", store, other)
        #expect(result.status == 0)
        #expect(result.errors.hasSuffix("1 row\n"))
    }

    @Test func copyWithARowThatTheStoreLostIsReported() throws {
        try runSQL("DELETE FROM log WHERE id = 1", at: store + "/Devices/desk/Entities.db")
        let result = try tideline("merge", store, other)
        #expect(result.status == 65)
        #expect(result.errors.contains("Devices/desk/Entities.db was not merged"))
    }

    @Test(arguments: [[], ["--dry-run"]]) func unsafeDeviceMustExist(_ options: [String]) throws {
        let write = ["kv", "set", other, "l", "w", "--device", "phone", "--new-device"]
        try #require(ProgramResult.tideline(write, home: folder).status == 0)
        func merge(_ device: String) throws -> ProgramResult {
            try ProgramResult.tideline(
                ["merge", store, other, "--unsafe-device", device] + options, home: folder)
        }
        let before = try FolderState(of: store)
        let result = try merge("phnoe")
        #expect(result.status == 64)
        #expect(result.errors.contains("--unsafe-device phnoe: "), "\(result.errors)")
        #expect(try FolderState(of: store) == before)
        #expect(try merge("phone").status == 0)
    }

    @Test(arguments: [[], ["--dry-run"]]) func incompleteCopyIsReported(_ options: [String]) throws
    {
        for key in ["l", "m", "n"] {
            let write = ["kv", "set", other, key, "w", "--device", "phone", "--new-device"]
            try #require(ProgramResult.tideline(write, home: folder).status == 0)
        }
        try runSQL("DELETE FROM log WHERE id = 2", at: other + "/Devices/phone/Logs.db")
        let result = try ProgramResult.tideline(["merge", store, other] + options, home: folder)
        #expect(result.status == 65)
        #expect(result.errors.contains("not all rows can be merged: phone: "), "\(result.errors)")
        #expect(result.errors.contains("before you delete the other copy"), "\(result.errors)")
    }

    @Test func entitiesThatAreNotDownloadedAreReported() throws {
        let folder = other + "/Devices/desk"
        try FileManager.default.moveItem(
            atPath: folder + "/Entities.db", toPath: folder + "/.Entities.db.icloud")
        let result = try tideline("merge", store, other)
        #expect(result.status == 65)
        #expect(result.errors.contains("has not downloaded"), "\(result.errors)")
    }

    @Test func blobThatIsNotDownloadedIsReported() throws {
        let blobs = URL(filePath: other + "/Blobs")
        try FileManager.default.createDirectory(at: blobs, withIntermediateDirectories: true)
        let placeholder = blobs.appending(path: ".a.txt.icloud")
        try Data("bplist00".utf8).write(to: placeholder)
        let result = try tideline("merge", store, other)
        #expect(result.status == 65)
        #expect(result.errors.contains("not all blobs can be merged: "), "\(result.errors)")
        try Data("here".utf8).write(to: blobs.appending(path: "a.txt"))
        #expect(try tideline("merge", store, other).status == 0)
    }

    @Test func replacedBlobIsKeptAsAConflictCopy() throws {
        let file = folder.appending("file")
        for (text, path) in [("old", store), ("new", other)] {
            try Data(text.utf8).write(to: URL(filePath: file))
            try #require(tideline("blobs", "put", path, "a.txt", file).status == 0)
        }
        let dry = try tideline("merge", store, other, "--dry-run")
        #expect(dry.output == "blob  a.txt\nconflict copy  a (conflicted copy).txt\n")
        let result = try tideline("merge", store, other)
        #expect(result.status == 0)
        #expect(result.errors.contains("a (conflicted copy).txt"), "\(result.errors)")
        #expect(try tideline("blobs", "get", store, "a.txt").output == "new")
        #expect(try tideline("blobs", "get", store, "a (conflicted copy).txt").output == "old")
    }

    @Test func symbolicLinkInPlaceOfTheFolderOfBlobsIsReported() throws {
        let moved = folder.appending("Moved")
        try FileManager.default.createDirectory(
            atPath: moved, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: other + "/Blobs", withDestinationPath: moved)
        let result = try tideline("merge", store, other)
        #expect(result.status == 65)
        #expect(result.errors.contains("not all blobs can be merged: "), "\(result.errors)")
        #expect(try tideline("blobs", "list", other).errors.contains("symbolic link"))
        #expect(try tideline("info", other).output.contains("symbolic link"))
    }

    @Test func blobWhoseNameIsNotUTF8IsReported() throws {
        let blobs = other + "/Blobs"
        try FileManager.default.createDirectory(atPath: blobs, withIntermediateDirectories: true)
        let name = (Array("\(blobs)/caf".utf8) + [0xE9, 0]).map { CChar(bitPattern: $0) }
        let file = open(name, O_CREAT | O_WRONLY, 0o600)
        try #require(file >= 0)
        close(file)
        let result = try tideline("merge", store, other)
        #expect(result.status == 65)
        #expect(result.errors.contains("is not UTF-8"), "\(result.errors)")
    }

    @Test(arguments: ["desk (conflicted copy)", "renamed"])
    func copyOfADevicesFolderIsReported(_ name: String) throws {
        try #require(tideline("kv", "set", other, "l", "w").status == 0)
        try FileManager.default.moveItem(
            atPath: other + "/Devices/desk", toPath: other + "/Devices/\(name)")
        if name != "renamed" {
            try FileManager.default.copyItem(
                atPath: store + "/Devices/desk", toPath: other + "/Devices/desk")
        }
        let result = try tideline("merge", store, other)
        #expect(result.status == 65)
        #expect(result.errors.contains("not all rows can be merged: \(name): "), "\(result.errors)")
        // A copy doesn't become readable.
        #expect(!result.errors.contains("when the log can be read"), "\(result.errors)")
    }
}
