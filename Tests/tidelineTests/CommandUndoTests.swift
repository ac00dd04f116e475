import Foundation
import TestSupport
import Testing

/// Edits by commands, which write and record them as the browser does.
@Suite struct CommandUndoTests: CommandSuite {
    let stage: CommandStage

    init() throws { stage = try CommandStage() }

    private func keys() throws -> String { try tideline("kv", "list", store, "--json").output }

    private func undo(in path: String? = nil) throws {
        let result = try tideline("undo", path ?? store)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func setAndDeletedKeysAreUndone() throws {
        try #require(tideline("kv", "set", store, "a", "1").status == 0)
        try #require(tideline("kv", "set", store, "a", "2").status == 0)
        try #require(tideline("kv", "unset", store, "a").status == 0)
        let list = try tideline("undo", store, "--list").output
        #expect(list.contains("delete a") && list.contains("set a: \"1\" → \"2\""))
        try undo()
        #expect(try keys() == "{\"a\":\"2\"}\n")
        try undo()
        #expect(try keys() == "{\"a\":\"1\"}\n")
        try undo()
        #expect(try keys() == "{}\n")
        #expect(try tideline("undo", store).status == 1)
    }

    @Test func emptyEntryIsNotUndone() throws {
        try #require(tideline("kv", "set", store, "a", "1").status == 0)
        let result = try tideline("undo", store, "")
        #expect(result.status == 64 && result.errors.contains("the entry is empty"))
        #expect(try keys() == "{\"a\":\"1\"}\n")
    }

    @Test func resolvedConflictIsRestored() throws {
        let copy = folder.appending("Copy.store")
        try #require(tideline("kv", "set", store, "a", "base").status == 0)
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        try #require(tideline("kv", "set", store, "a", "ours").status == 0)
        try #require(tideline("kv", "set", copy, "a", "theirs", device: "phone").status == 0)
        try FileManager.default.copyItem(
            atPath: copy + "/Devices/phone", toPath: store + "/Devices/phone")
        let mistyped = try tideline("resolve", store, "a", "--take", "phones")
        #expect(mistyped.status == 1 && mistyped.errors.contains("choose one of phone, desk"))
        try #require(tideline("resolve", store, "a", "--take", "desk").status == 0)
        #expect(try tideline("conflicts", store).output.isEmpty)
        try undo()
        #expect(try tideline("conflicts", store).output.hasPrefix("a"))
    }

    @Test(arguments: [
        "set STORE anna name Annie", "set STORE anna name Annie --append",
        "relate STORE anna knows ben", "unset STORE anna likes --value ben",
        "unset STORE anna name", "delete STORE anna", "add STORE --type person --id zoe",
    ])
    func editOfAnEntityIsUndone(_ line: String) throws {
        func entities(_ line: String) throws {
            let words = line.split(separator: " ").map { $0 == "STORE" ? store : String($0) }
            let result = try ProgramResult.tideline(["entities"] + words, home: folder)
            try #require(result.status == 0, "\(result.errors)")
        }
        /// The current values, without dates.
        func values() throws -> String {
            try tideline("entities", "list", store, "--format", "csv").output
        }
        try entities("add STORE --type person --id anna name=Anna")
        try entities("add STORE --type person --id ben name=Ben")
        try entities("relate STORE anna likes ben")
        let before = try values()
        try entities(line)
        #expect(try values() != before)
        try undo()
        #expect(try values() == before)
    }

    @Test func editsOfADocumentAreUndone() throws {
        func docs(_ arguments: String...) throws -> String {
            let result = try ProgramResult.tideline(["docs"] + arguments, home: folder)
            try #require(result.status == 0, "\(result.errors)")
            return result.output
        }
        let id = try docs("new", store, "Plans").trimmingCharacters(in: .newlines)
        func content() throws -> String { try docs("show", store, id, "--json") }
        _ = try docs("set", store, id, "/body", "Low tide", "--as", "text")
        _ = try docs("set", store, id, "/count", "3", "--as", "counter")
        let before = try content()
        for arguments in [
            ["set", store, id, "/title", "Trip"], ["increment", store, id, "/count", "4"],
            ["splice", store, id, "/body", "0", "3", "High"], ["delete-at", store, id, "/count"],
        ] {
            let result = try ProgramResult.tideline(["docs"] + arguments, home: folder)
            try #require(result.status == 0, "\(result.errors)")
            #expect(try content() != before)
            try undo()
            #expect(try content() == before, "\(arguments)")
        }
        // An edit without operations isn't recorded.
        let count = try tideline("undo", store, "--list").output.split(separator: "\n").count
        _ = try docs("splice", store, id, "/body", "0", "0", "")
        #expect(
            try tideline("undo", store, "--list").output.split(separator: "\n").count == count)
    }

    @Test func newWorkspaceIsUndone() throws {
        let id = try tideline("docs", "new", store, "Plans").output
            .trimmingCharacters(in: .newlines)
        #expect(try tideline("docs", "list", store, "--json").output.contains(id))
        try undo()
        #expect(try !tideline("docs", "list", store, "--json").output.contains(id))
    }

    @Test func editsOfRowsAreUndone() throws {
        let file = folder.appending("shop.db")
        try runSQL("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x')", at: file)
        func tables(_ arguments: String...) throws -> String {
            let result = try ProgramResult.tideline(["tables"] + arguments, home: folder)
            try #require(result.status == 0, "\(result.errors)")
            return result.output
        }
        func rows() throws -> String { try tables("show", file, "t", "--json") }
        let before = try rows()
        _ = try tables("set", file, "t", "1", "b", "y")
        #expect(try tideline("undo", file, "--list").output.contains(": x → y"))
        #expect(try rows() != before)
        try undo(in: file)
        #expect(try rows() == before)
        _ = try tables("insert", file, "t", "a:=2")
        try undo(in: file)
        #expect(try rows() == before)
        _ = try tables("delete", file, "t", "1")
        #expect(try rows().isEmpty)
        try undo(in: file)
        #expect(try rows() == before)
    }

    @Test func rowsOfOtherDevicesAreNotUndone() throws {
        let file = folder.appending("shop.db")
        try runSQL("CREATE TABLE t (a); INSERT INTO t VALUES (1)", at: file)
        for (value, device) in [("2", "phone"), ("3", "desk")] {
            let set = try tideline("tables", "set", file, "t", "1", "a", value, device: device)
            #expect(set.status == 0, "\(set.errors)")
        }
        let list = try tideline("undo", file, "--list", device: "phone").output
        #expect(list.contains(": 1 → 2") && !list.contains(": 2 → 3"), "\(list)")
        try undo(in: file)
        #expect(try tideline("undo", file).status == 1)
        #expect(
            try tideline("tables", "set", file, "t", "1", "a", "4", "--device", "phone").status
                == 0)
        #expect(try tideline("undo", file, device: "phone").status == 0)
    }

    @Test func undoNamesRowsThatAForeignKeyDeleted() throws {
        let file = folder.appending("shop.db")
        try runSQL(
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY);
            CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE);
            INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1), (2, 1);
            """, at: file)
        try #require(tideline("tables", "delete", file, "p", "1").status == 0)
        let result = try tideline("undo", file)
        #expect(result.status == 0)
        #expect(result.errors.contains("not undone: 2 rows "))
    }

    @Test func failedEditOfAnEntityIsNotRecorded() throws {
        #expect(try tideline("entities", "unset", store, "zoe", "name").status == 1)
        #expect(try tideline("entities", "delete", store, "zoe").status == 1)
        #expect(try tideline("undo", store, "--list").output.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store + "/Devices").isEmpty)
    }

    @Test func setKeyIsWrittenEvenIfItHasTheValue() throws {
        for _ in 0..<2 { try #require(tideline("kv", "set", store, "a", "1").status == 0) }
        #expect(try tideline("log", store, "--json").output.split(separator: "\n").count == 2)
    }

    @Test func editsOfOtherDevicesAreNotUndone() throws {
        try #require(tideline("kv", "set", store, "a", "1", device: "phone").status == 0)
        #expect(try tideline("undo", store, "--list").output.isEmpty)
        #expect(try tideline("undo", store).status == 1)
        #expect(try tideline("undo", store, device: "phone").status == 0)
        #expect(try keys() == "{}\n")
    }

    @Test func damagedEntitiesDoNotPreventEditsOfKeys() throws {
        try #require(tideline("entities", "add", store, "--type", "t").status == 0)
        let database = URL(filePath: store + "/Devices/desk/Entities.db")
        let damaged = Data(repeating: 0x55, count: 8_192)
        try damaged.write(to: database)
        try #require(tideline("kv", "set", store, "a", "1").status == 0)
        let set = try tideline("kv", "set", store, "a", "2")
        #expect(set.status == 0 && set.errors.isEmpty, "\(set.errors)")
        try undo()
        #expect(try keys() == "{\"a\":\"1\"}\n")
        let restored = try tideline("restore", store, "a", "--at", "2001-01-02")
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try keys() == "{}\n")
        #expect(try Data(contentsOf: database) == damaged)
    }

    @Test func keyWithAVeryLongNameIsUndone() throws {
        let name = String(repeating: "k", count: 70_000)
        for value in ["1", "2"] {
            let set = try tideline("kv", "set", store, name, value)
            #expect(set.status == 0 && !set.errors.contains("can't be undone"))
        }
        try undo()
        #expect(try tideline("kv", "get", store, name).output == "1\n")
    }

    /// The log is replaced by an older copy, which lacks the newest edit.
    @Test func failedUndoOfTheNewestEditSuggestsAnOlderOne() throws {
        let (log, copy) = (store + "/Devices/desk", folder.appending("desk"))
        try #require(tideline("kv", "set", store, "a", "1").status == 0)
        try FileManager.default.copyItem(atPath: log, toPath: copy)
        try #require(tideline("kv", "set", store, "b", "2").status == 0)
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.moveItem(atPath: copy, toPath: log)
        let failed = try tideline("undo", store)
        #expect(failed.status == 1)
        let lines = failed.errors.split(separator: "\n")
        try #require(lines.count == 2, "\(failed.errors)")
        #expect(lines[0].hasPrefix("tideline: \(store): can't undo: "), "\(failed.errors)")
        #expect(lines[1].hasSuffix("; to list all edits: tideline undo \(store) --list"))
        // The suggested command works.
        let command = try #require(lines[1].firstMatch(of: /: tideline (undo \S+ \w+);/))
        let words = command.1.split(separator: " ").map(String.init)
        let undone = try ProgramResult.tideline(words, home: folder)
        #expect(undone.status == 0, "\(undone.errors)")
        #expect(try keys() == "{}\n")
    }

    @Test func editOfAnUnknownDataModelIsNotUndone() throws {
        try #require(tideline("kv", "set", store, "a", "1").status == 0)
        let journals = URL(filePath: folder.appending("state/tideline/journals"))
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: journals.path)
                .first { $0.hasSuffix(".jsonl") })
        let journal = journals.appending(path: name)
        let text = try String(contentsOf: journal, encoding: .utf8)
        let changed = text.replacing("\"model\":\"keys\"", with: "\"model\":\"plans\"")
        #expect(changed != text)
        try Data(changed.utf8).write(to: journal)
        let result = try tideline("undo", store)
        #expect(result.status == 1)
        #expect(result.errors.contains("another version"), "\(result.errors)")
        #expect(try keys() == "{\"a\":\"1\"}\n")
    }

    @Test func keyIsWrittenEvenIfTheJournalCannotBeWritten() throws {
        let file = folder.appending("file")
        try Data().write(to: URL(filePath: file))
        let result = try ProgramResult.running(
            "tideline", ["kv", "set", store, "a", "1"],
            environment: [
                "HOME": folder.path, "XDG_STATE_HOME": file, "TIDELINE_DEVICE": "desk",
            ])
        #expect(result.status == 0)
        #expect(result.errors.contains("journal"), "\(result.errors)")
        #expect(try keys() == "{\"a\":\"1\"}\n")
    }
}
