import Foundation
import TestSupport
import Testing

/// `tideline blame`: the device that wrote each part of a text.
@Suite struct BlameCommandTests: CommandSuite {
    let stage: CommandStage

    init() throws { stage = try CommandStage() }

    private func objects(_ arguments: String...) throws -> [[String: Any]] {
        try ProgramResult.tideline(["blame"] + arguments + ["--json"], home: folder).output
            .jsonObjects()
    }

    @Test func partsOfAKeyAreNamedByDevice() throws {
        try #require(tideline("kv", "set", store, "n", "Buy milk\nand eggs").status == 0)
        try #require(
            tideline("kv", "set", store, "n", "Buy oat milk\nand eggs", device: "phone").status
                == 0)
        let before = try FolderState(of: store)
        let result = try tideline("blame", store, "n")
        #expect(result.output == "desk: Buy \nphone: oat \ndesk: milk\ndesk: and eggs\n")
        #expect(result.status == 0 && result.errors.isEmpty)
        let rows = try tideline("log", store, "--json").output.jsonObjects()
        let parts = try objects(store, "n")
        #expect(parts.map { $0["text"] as? String } == ["Buy ", "oat ", "milk\nand eggs"])
        #expect(parts.map { $0["device"] as? String } == ["desk", "phone", "desk"])
        #expect(parts[0]["date"] as? String == rows[0]["date"] as? String)
        #expect(parts[1]["timestamp"] as? Int == rows[1]["timestamp"] as? Int)
        #expect(
            try tideline("blame", store, "n", "--at", "\(rows[0]["timestamp"] ?? 0)").output
                == "desk: Buy milk\ndesk: and eggs\n")
        #expect(try FolderState(of: store) == before)
    }

    @Test func missingItemsAreNamedAsInOtherCommands() throws {
        try #require(tideline("kv", "set", store, "n", "Buy milk").status == 0)
        for (arguments, message) in [
            (["nope"], "tideline: blame nope: no such key\n"),
            (["n", "--at", "2001-01-01"], "tideline: blame n: no such key at this time\n"),
            (["--entity", "nope"], "tideline: blame nope: no such entity\n"),
        ] {
            let result = try ProgramResult.tideline(["blame", store] + arguments, home: folder)
            #expect(result.status == 1 && result.errors == message, "\(result.errors)")
        }
    }

    @Test func partsOfAMissingLogHaveNoDevice() throws {
        try #require(tideline("kv", "set", store, "n", "Buy milk").status == 0)
        try #require(tideline("kv", "set", store, "n", "Buy oats", device: "phone").status == 0)
        try FileManager.default.removeItem(atPath: store + "/Devices/desk")
        let result = try tideline("blame", store, "n")
        #expect(result.status == 0 && result.output == "earlier writers: Buy oats\n")
        #expect(result.errors.contains("unknown"))
        let parts = try objects(store, "n")
        #expect(!parts.isEmpty && parts.allSatisfy { $0["device"] is NSNull })
    }

    @Test func membersOfAMapAreListedByName() throws {
        let set = ["kv", "set", store, "m", #"{"a": "x y", "b": 2}"#, "--as", "json"]
        try #require(ProgramResult.tideline(set, home: folder).status == 0)
        #expect(try tideline("blame", store, "m").output == "a\n  desk: x y\nb\n  desk: 2\n")
        #expect(try objects(store, "m").map { $0["part"] as? String } == ["a", "b"])
    }

    @Test func partsOfAPropertyAreNamedByDevice() throws {
        try #require(
            tideline(
                "entities", "add", store, "--type", "note", "--id", "n", "text=one two", "due=1"
            ).status == 0)
        try #require(
            tideline("entities", "set", store, "n", "text", "one new two", device: "phone").status
                == 0)
        #expect(
            try tideline("blame", store, "text", "--entity", "n").output
                == "text\n  desk: one \n  phone: new \n  desk: two\n")
        let parts = try objects(store, "--entity", "n")
        #expect(parts.map { $0["part"] as? String } == ["due", "text", "text", "text"])
        #expect(parts.allSatisfy { $0["date"] is String })
        #expect(try tideline("blame", store, "none", "--entity", "n").status == 1)
        #expect(try tideline("blame", store, "text", "--entity", "none").status == 1)
    }

    @Test func partsOfADocumentAreNamedByDevice() throws {
        let made = try tideline("docs", "new", store, "plan").output
        let id = made.trimmingCharacters(in: .newlines)
        try #require(
            tideline("docs", "set", store, "plan", "/text", "one two", "--as", "text").status == 0)
        try #require(
            tideline("docs", "splice", store, "plan", "/text", "4", "0", "new ", device: "phone")
                .status == 0)
        let expected = "desk: one \nphone: new \ndesk: two\n"
        #expect(try tideline("blame", store, "/text", "--document", "plan").output == expected)
        #expect(try tideline("blame", store, "/none", "--document", "plan").status == 1)
        #expect(try tideline("blame", store, "text", "--document", "plan").status == 64)
        let file = folder.appending("plan.automerge")
        try #require(tideline("docs", "export", store, "plan", file).status == 0)
        let parts = try objects(file, "/text")
        #expect(parts.map { $0["text"] as? String } == ["one ", "new ", "two"])
        #expect(parts[0]["device"] as? String == parts[2]["device"] as? String)
        #expect(try tideline("blame", file, "/text", "--document", id).status == 64)
    }

    @Test func missingItemsAndWrongUsageHaveTheirExitCodes() throws {
        try #require(tideline("kv", "set", store, "n", "1").status == 0)
        #expect(try tideline("blame", store, "none").status == 1)
        #expect(try tideline("blame", store, "").status == 64)
        #expect(try tideline("blame", store).status == 64)
        #expect(try tideline("blame", store, "n", "--entity", "a", "--document", "b").status == 64)
        #expect(try tideline("blame", store, "n", "--at", "1970-01-01").status == 1)
        #expect(try tideline("blame", store + "-none", "n").status == 66)
        #expect(try tideline("blame", store + "/Devices/desk/Logs.db", "n").status == 65)
    }
}
