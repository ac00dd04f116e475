import Foundation
import TestSupport
import Testing

/// The entities commands as scripts see them.
@Suite struct EntityCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.appending("Notes.store")
        try #require(tideline("create", store).status == 0)
    }

    private func tideline(_ arguments: String..., input: String? = nil) throws -> ProgramResult {
        try ProgramResult.tideline(["entities"] + arguments, home: folder, input: input)
    }

    private func makePeople() throws {
        #expect(
            try tideline("add", store, "--type", "person", "--id", "anna", "name=Anna").output
                == "anna\n")
        #expect(
            try tideline("add", store, "--type", "person", "--id", "ben", "name=Ben").status == 0)
    }

    @Test func addedItemIsListedAndShown() throws {
        try makePeople()
        #expect(
            try tideline("set", store, "anna", "age", "21", "--as", "integer").status == 0)
        let listed = try tideline("list", store, "--where", "age=21", "--json").output
        #expect(listed.contains("\"identifier\":\"anna\""))
        #expect(listed.contains("\"properties\":{\"age\":21,\"name\":\"Anna\"}"))
        #expect(listed.filter { $0 == "\n" }.count == 1)
        try #require(
            try tideline("set", store, "anna", "age", "22", "--as", "integer").status == 0)
        let shown = try tideline("show", store, "anna", "--history", "--json").output
        #expect(shown.contains("\"value\":21"))
        #expect(shown.contains("\"value\":22"))
        #expect(shown.contains("\"device\":\"desk\""))
    }

    @Test func valueCanStartWithACombiningCharacter() throws {
        let accent = "name=\u{301}x=y"
        try #require(tideline("add", store, "--type", "t", "--id", "a", accent).status == 0)
        try #require(tideline("add", store, "--type", "t", "--id", "b", "name=x=y").status == 0)
        let listed = try tideline("list", store, "--where", accent, "--json").output
        #expect(listed.contains(#""identifier":"a""#))
        #expect(listed.filter { $0 == "\n" }.count == 1)
    }

    @Test func concurrentlySetPropertiesConflictUntilOneIsSet() throws {
        try makePeople()
        let copy = folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        #expect(try tideline("set", store, "anna", "name", "Annie").status == 0)
        let phone = try tideline(
            "set", copy, "anna", "name", "Anni", "--device", "phone", "--new-device")
        #expect(phone.status == 0)
        try FileManager.default.copyItem(
            atPath: copy + "/Devices/phone", toPath: store + "/Devices/phone")
        func run(_ arguments: String...) throws -> ProgramResult {
            try ProgramResult.tideline(arguments, home: folder, device: nil)
        }
        let listed = try run("conflicts", store).output
        #expect(listed.hasPrefix("anna name\n  wins  phone  "))
        #expect(listed.contains("also  desk") && listed.contains("Annie"))
        let json = try run("conflicts", store, "--json")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(object["entity"] as? String == "anna" && object["key"] as? String == "name")
        #expect((object["winner"] as? [String: Any])?["value"] as? String == "Anni")
        #expect((object["others"] as? [[String: Any]])?.map { $0["device"] as? String } == ["desk"])
        #expect((object["base"] as? [String: Any])?["value"] as? String == "Anna")
        #expect(try run("info", store, "--json").output.contains(#""conflicts":1"#))
        #expect(try tideline("set", store, "anna", "name", "Anne").status == 0)
        #expect(try run("conflicts", store, "--json").output.isEmpty)
        #expect(try run("info", store, "--json").output.contains(#""conflicts":0"#))
    }

    @Test func equalLookingSidesOfAConflictShowTheirTypes() throws {
        try makePeople()
        let copy = folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        for (path, device, type) in [(store, "desk", "string"), (copy, "phone", "integer")] {
            let result = try tideline(
                "set", path, "anna", "age", "21", "--as", type, "--device", device,
                "--new-device")
            #expect(result.status == 0)
        }
        try FileManager.default.copyItem(
            atPath: copy + "/Devices/phone", toPath: store + "/Devices/phone")
        let listed = try ProgramResult.tideline(["conflicts", store], home: folder, device: nil)
            .output
        let lines = listed.split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == "anna age")
        #expect(lines[1].contains("  phone  ") && lines[1].hasSuffix("  21  (integer)"))
        #expect(lines[2].contains("  desk  ") && lines[2].hasSuffix("  21  (string)"))
    }

    @Test func relationshipsAreListedFromBothEnds() throws {
        try makePeople()
        #expect(try tideline("relate", store, "anna", "knows", "ben", "--tag", "well").status == 0)
        for arguments in [["anna"], ["ben", "--incoming"]] {
            let related = try ProgramResult.tideline(
                ["entities", "related", store, "--json"] + arguments, home: folder, device: nil)
            #expect(related.output.contains("\"source\":\"anna\""))
            #expect(related.output.contains("\"target\":\"ben\""))
            #expect(related.output.contains("\"type\":\"well\""))
        }
        #expect(try tideline("delete", store, "ben").status == 0)
        #expect(try tideline("related", store, "anna", "--json").output == "")
    }

    @Test func missingItemExitsWithOne() throws {
        try makePeople()
        #expect(try tideline("show", store, "zoe").status == 1)
        #expect(try tideline("delete", store, "zoe").status == 1)
        #expect(try tideline("unset", store, "anna", "age").status == 1)
        #expect(try tideline("relate", store, "anna", "knows", "zoe").status == 1)
        #expect(try tideline("related", store, "zoe").status == 1)
        #expect(try tideline("set", store, "anna", "type", "x").status == 64)
        #expect(try tideline("list", folder.appending("nothing")).status == 66)
    }

    @Test func exportAndImportLoseNothing() throws {
        try makePeople()
        #expect(try tideline("relate", store, "anna", "knows", "ben").status == 0)
        let text = try tideline("export", store).output
        let other = folder.appending("Other.store")
        #expect(try tideline("create", other).status == 0)
        #expect(try tideline("import", other, "-", input: text).status == 0)
        #expect(try tideline("export", other).output == text)
    }

    @Test func badInterchangeExitsWith65AndChangesNothing() throws {
        try makePeople()
        let before = try tideline("export", store).output
        for text in ["{", "{\"entities\":[{\"type\":\"t\",\"identifier\":\"x\",\"a\":null}]}"] {
            let result = try tideline("import", store, "-", input: text)
            #expect(result.status == 65)
            #expect(result.output == "")
        }
        #expect(try tideline("export", store).output == before)
    }
}
