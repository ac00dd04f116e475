import Automerge
import Foundation
import TestSupport
import Testing

/// Writes made in the browser.
@Suite struct BrowserEditingTests {
    private let stage: BrowserStage

    init() throws { stage = try BrowserStage() }

    private func value(_ key: String) throws -> String {
        try stage.tideline("kv", "get", stage.store, key).output
    }

    @Test func valueEditedInPlaceIsARowOfThisDeviceOnly() throws {
        let phone = try FolderState(of: "\(stage.store)/Devices/phone")
        let before = try #require(try stage.log(ofKey: "golf").last)
        try stage.open()
        try stage.press("w", sees: "[WRITE]")
        try stage.press("G", sees: " 7/7")
        try stage.press("i", sees: "Enter: preview")
        try stage.press(
            " of chess\r", sees: "y: write", "- \"a game\"", "+ \"a game of chess\"",
            "Devices/desk/Logs.db")
        // Nothing is written before the confirmation.
        #expect(try stage.log(ofKey: "golf").count == 1)
        try stage.press("y", sees: "(z: undo)")

        let rows = try stage.log(ofKey: "golf")
        #expect(rows.count == 2)
        let row = try #require(rows.last)
        #expect(row["device"] as? String == "desk")
        #expect(row["value"] as? String == "a game of chess")
        #expect(row["parent"] as? Int == before["timestamp"] as? Int)
        #expect((row["parents"] as? [Any])?.count == 1)

        try stage.press("z", sees: "Undo this change?")
        try stage.press("y", sees: "undone")
        let restored = try #require(try stage.log(ofKey: "golf").last)
        #expect(restored["value"] as? String == "a game")
        #expect(restored["device"] as? String == "desk")
        try stage.press("Z", sees: "Redo this change?")
        try stage.press("y", sees: "redone")
        try stage.quit()
        #expect(try stage.log(ofKey: "golf").count == 4)
        #expect(try FolderState(of: "\(stage.store)/Devices/phone") == phone)
    }

    @Test func firstWritePromptNamesTheNewDevice() throws {
        try stage.open("-w", device: "tablet")
        try stage.press("a", sees: "Enter: preview")
        try stage.press(
            "hotel\ra bed\r", sees: "New device: writing creates its folder",
            "y: write")
        #expect(!FileManager.default.fileExists(atPath: "\(stage.store)/Devices/tablet"))
        try stage.press("y", sees: "(z: undo)", "─ hotel ─")
        #expect(try stage.log(ofKey: "hotel").first?["device"] as? String == "tablet")
        // The second write doesn't announce the device again.
        try stage.press("r", sees: "Rename")
        try stage.press("s\r", sees: "y: write", not: "New device")
        try stage.press("y", sees: "✓ renamed hotel to hotels (z: undo)")
        #expect(try value("hotels") == "a bed\n")
        try stage.quit()
    }

    @Test func conflictIsResolvedByNumber() throws {
        try stage.open("-w")
        try stage.press("c", sees: "≠ delta", " 1/1")
        try stage.press("\r", sees: "1-2: choose side")
        try stage.press("2", sees: "y: write")
        try stage.press(
            "y", sees: "(z: undo)", "No conflicts", "all devices agree", not: "≠")
        #expect(try stage.tideline("conflicts", stage.store, "--json").output.isEmpty)
        let row = try #require(try stage.log(ofKey: "delta").last)
        #expect(row["value"] as? String == "as the desk has it")
        #expect((row["parents"] as? [Any])?.count == 2)
        try stage.quit()
    }

    /// Both `desk` and `phone` change desk's value of `foxtrot`, the phone last.
    private func disagree(desk: String, phone: String) throws {
        let other = stage.folder.appending("Other.store")
        func set(_ store: String, _ value: String, _ device: String) throws {
            try stage.tideline("kv", "set", store, "foxtrot", value, "--as", "json", device: device)
        }
        try stage.tideline("resolve", stage.store, "delta", "--take", "desk")
        try set(stage.store, #"{"beds":1,"name":"Ritz"}"#, "desk")
        try FileManager.default.copyItem(atPath: stage.store, toPath: other)
        try set(stage.store, desk, "desk")
        try set(other, phone, "phone")
        try FileManager.default.removeItem(atPath: "\(stage.store)/Devices/phone")
        try FileManager.default.copyItem(
            atPath: "\(other)/Devices/phone", toPath: "\(stage.store)/Devices/phone")
    }

    @Test func conflictIsResolvedByItsProposalInSixKeys() throws {
        try disagree(desk: #"{"beds":2,"name":"Ritz"}"#, phone: #"{"beds":1,"name":"Savoy"}"#)
        try stage.open()
        try stage.press("w", sees: "[WRITE]")
        try stage.press("c", sees: "─ foxtrot ─")
        try stage.press("\r", sees: "merged value  changes of all sides", "p: merge")
        try stage.press("p", sees: "y: write", "Savoy")
        try stage.press("y", sees: "(z: undo)", not: "≠")
        try stage.quit()
        #expect(try stage.tideline("conflicts", stage.store, "--json").output.isEmpty)
        let row = try #require(try stage.log(ofKey: "foxtrot").last)
        let value = try #require(row["value"] as? [String: Any])
        #expect(value["beds"] as? Int == 2 && value["name"] as? String == "Savoy")
    }

    @Test func chosenPartsAreKeptAndTheRestIsMerged() throws {
        try disagree(
            desk: #"{"beds":2,"name":"Plaza"}"#, phone: #"{"beds":1,"name":"Savoy"}"#)
        try stage.open("-w")
        try stage.press("c", sees: "─ foxtrot ─")
        try stage.press(
            "\r", sees: "1 ★ phone", "common base", "differences", "▸ 1 \"Savoy\"",
            "History (newest first)")
        // Move down over both sides and the beds to the name.
        try stage.press("jjj", sees: "or a number: choose side, p: use all choices")
        try stage.press("2", sees: "with name from desk", "▸ 2 \"Plaza\"")
        try stage.press("p", sees: "y: write", "desk's name")
        try stage.press("y", sees: "(z: undo)", not: "≠")
        try stage.quit()
        let row = try #require(try stage.log(ofKey: "foxtrot").last)
        let value = try #require(row["value"] as? [String: Any])
        #expect(value["beds"] as? Int == 2 && value["name"] as? String == "Plaza")
        #expect((row["parents"] as? [Any])?.count == 2)
    }

    /// Both sides changed the whole text of the value.
    @Test func mergeProposalIsRefusedWhenBothSidesOverlap() throws {
        let result = try ProgramResult.running(
            "tideline", ["resolve", stage.store, "delta", "--proposal"],
            environment: BrowserStage.environment(stage.folder, "desk"))
        #expect(result.status == 1)
        #expect(result.errors.contains("the sides can't be merged"))
        #expect(!(try stage.tideline("conflicts", stage.store, "--json").output.isEmpty))
    }

    @Test func undoingAResolutionRestoresTheConflict() throws {
        func conflicts() throws -> String {
            try stage.tideline("conflicts", stage.store, "--json").output
        }
        let before = try conflicts()
        #expect(!before.isEmpty)
        try stage.open("-w")
        for (keys, sight) in [("/delta\r", " 4/7"), ("c", "WINNER")] {
            try stage.press(keys, sees: "delta", sight)
            try stage.press("\r", sees: "1-2: choose side")
            try stage.press("2", sees: "y: write")
            try stage.press("y", sees: "(z: undo)")
            #expect(try conflicts().isEmpty)
            try stage.press("z", sees: "Undo this change?", "delta will be in conflict again")
            try stage.press("y", sees: "undone", "≠")
            #expect(try conflicts() == before)
        }
        try stage.quit()
    }

    @Test func writeIsUndoneAfterARestart() throws {
        try stage.open("-w")
        try stage.press("i", sees: "Enter: preview")
        try stage.press(" one\r", sees: "y: write")
        try stage.press("y", sees: "(z: undo)")
        try stage.press("G", sees: " 7/7")
        try stage.press("d", sees: "y: write")
        try stage.press("y", sees: "(z: undo)")
        try stage.quit()
        try stage.tideline("kv", "set", stage.store, "foxtrot", "by a command")
        try stage.start("-w")
        try stage.sees(" 1/6", "LIVE")
        try stage.press("@", sees: "Change journal", "set alpha", "delete golf", "set foxtrot")
        // Any write can be undone, not only the last one.
        try stage.press("kkz", sees: "Undo this change?", "- \"first of all one\"")
        try stage.press("y", sees: "undone: set alpha")
        #expect(try value("alpha") == "first of all\n")
        try stage.press("@", sees: "undone set alpha", "undo: set alpha")
        try stage.press("\u{1B}", sees: " 1/6", not: "Change journal")
        // The undo key undoes the last remaining write, also of a command.
        try stage.press("z", sees: "Undo this change?", "- \"by a command\"")
        try stage.press("y", sees: "undone: set foxtrot")
        try stage.press("z", sees: "Undo this change?", "golf")
        try stage.press("y", sees: "undone: delete golf")
        #expect(try value("golf") == "a game\n")
        // A write that another device built on stays unchanged.
        try stage.press("gg", sees: " 1/7")
        try stage.press("i", sees: "Enter: preview")
        try stage.press(" two\r", sees: "y: write")
        try stage.press("y", sees: "(z: undo)")
        try stage.tideline("kv", "set", stage.store, "alpha", "by the phone", device: "phone")
        try stage.sees("by the phone")
        try stage.press("z", sees: "can't undo")
        #expect(try value("alpha") == "by the phone\n")
        try stage.quit()
    }

    @Test func manyRowsAreDeletedByTypingTheCountAndRestored() throws {
        try stage.open("-w")
        try stage.press("vjj", sees: "3 marked")
        try stage.press("d", sees: "Type 3 and Enter")
        try stage.press("y", sees: "more than one row changes: type 3 and Enter")
        try stage.press("3\r", sees: "deleted 3 keys (z: undo)", not: "alpha")
        try stage.press("z", sees: "Undo this change?")
        try stage.press("y", sees: "undone", "\"first of all\"", "\"chocolate\"")
        #expect(try value("alpha") == "first of all\n")
        try stage.quit()
    }

    @Test func configuredEditorIsUsed() throws {
        // A shell reads the script instead of running it directly: a process started by another
        // test may still have the new file open, in which case it can't be run.
        let editor = stage.folder.appending("editor")
        try "cat \"$1\" >\"$0.seen\"\nprintf 'from the editor' >\"$1\"\n".write(
            toFile: editor, atomically: true, encoding: .utf8)
        try stage.open("-w", environment: ["EDITOR": "sh '\(editor)'"])
        try stage.press("e", sees: "+ \"from the editor\"", "y: write")
        #expect(try String(contentsOfFile: editor + ".seen", encoding: .utf8) == "first of all")
        #expect(try stage.screen.isAlternate)
        #expect(try stage.screen.modes == [1000, 1002, 1006, 2004])
        try stage.press("y", sees: "(z: undo)")
        #expect(try value("alpha") == "from the editor\n")
        try stage.quit()
    }

    @Test func firstEntityIsAddedInTheBrowser() throws {
        try stage.open()
        try stage.sees("8Blobs", " 9P")
        try stage.press("w", sees: "[WRITE]", "4E", "5T", "6D", "9P")
        try stage.press("4", sees: "Press a to add one")
        try stage.press("a", sees: "Enter: preview", "│ type ", "│ name ")
        try stage.press("person\rAda\r", sees: "create a person", "y: write")
        try stage.press("y", sees: "(z: undo)")
        try stage.sees("the entity") { $0.showsLine("+ Ada ", "person") }
        #expect(
            try stage.tideline("entities", "list", stage.store, "--json").output.contains("Ada"))
        // Undo restores the deleted row.
        try stage.press("d", sees: "Write?", "- Ada")
        try stage.press("y", sees: "No entities yet")
        try stage.press("z", sees: "Undo this change?", "+ Ada")
        try stage.press("y", sees: "undone", not: "No entities yet")
        try stage.sees("the entity again") { $0.showsLine("+ Ada ", "person") }
        try stage.quit()
    }

    @Test func rowKeysDoNothingInAPanelWithoutRows() throws {
        try stage.open("-w")
        try stage.press("E", sees: "Tab next panel")
        for key in ["d", "i", "r", "a", "y", "x", " ", "v"] {
            try stage.press(key, sees: "no row is selected here")
            try stage.press("0", sees: "0 Inspector: alpha")
            try stage.press("E", sees: "Tab next panel")
        }
        try stage.quit()
    }

    @Test func readOnlyOptionPreventsEveryEdit() throws {
        let before = try FolderState(of: stage.store)
        try stage.open("--read-only")
        for key in ["w", "i", "e", "a", "r", "d", "z"] {
            try stage.press(key, sees: "opened with --read-only")
            try stage.press("k", sees: "f filter", not: "--read-only")
        }
        try stage.press("c\r", sees: "Can't resolve: opened with --read-only")
        try stage.press("1", sees: "Choose a side: opened with --read-only")
        try stage.press("\u{1B}", sees: "f filter", not: "--read-only")
        try stage.quit()
        #expect(try FolderState(of: stage.store) == before)
    }

    @Test func readOnlyFileDoesNotOfferEditing() throws {
        let path = stage.folder.appending("one.automerge")
        let document = Document()
        try document.put(obj: .ROOT, key: "title", value: .String("Meeting"))
        try document.save().write(to: URL(filePath: path))
        try stage.start("-w", path: path)
        try stage.sees("Meeting", "LIVE", "[RO]", "f filter", not: "unlock", "i edit")
        try stage.press("w", sees: "this store can only be read", "[RO]")
        try stage.quit()
    }
}
