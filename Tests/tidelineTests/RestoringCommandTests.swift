import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

/// `tideline restore`, `tideline undo` and `tideline ignore`, which do what the browser does.
@Suite struct RestoringCommandTests {
    private let folder: TemporaryFolder
    private let store: String
    /// A time at which `a` was 1, `b` was 2, and `c` did not exist.
    private let instant: String

    init() throws {
        let folder = try TemporaryFolder()
        let store = folder.appending("Notes.store")
        func tideline(_ arguments: String...) throws -> ProgramResult {
            try ProgramResult.tideline(arguments, home: folder)
        }
        try #require(tideline("kv", "create", store).status == 0)
        try #require(tideline("kv", "set", store, "a", "1").status == 0)
        try #require(tideline("kv", "set", store, "b", "2").status == 0)
        let log = try tideline("log", store, "--key", "b", "--json").output
        let row = try JSONSerialization.jsonObject(with: Data(log.utf8)) as? [String: Any]
        instant = try #require(row?["date"] as? String)
        try #require(tideline("kv", "set", store, "a", "changed").status == 0)
        try #require(tideline("kv", "unset", store, "b").status == 0)
        try #require(tideline("kv", "set", store, "c", "new").status == 0)
        // The tests start with an empty journal.
        try FileManager.default.removeItem(atPath: folder.appending("state/tideline/journals"))
        (self.folder, self.store) = (folder, store)
    }

    private func tideline(_ arguments: String..., device: String = "desk") throws -> ProgramResult {
        try ProgramResult.tideline(arguments, home: folder, device: device)
    }

    private func values() throws -> String { try tideline("kv", "list", store, "--json").output }

    private func entries() throws -> [[String: Any]] {
        try tideline("undo", store, "--list", "--json").output.jsonObjects()
    }

    @Test func keysGetTheirEarlierValues() throws {
        let result = try tideline("restore", store, "a", "b", "c", "--at", instant)
        #expect(result.status == 0)
        #expect(result.output.split(separator: "\n").count == 3)
        #expect(try values() == "{\"a\":\"1\",\"b\":\"2\"}\n")
    }

    @Test func prefixRestoresOnlyTheKeysThatStartWithIt() throws {
        #expect(try tideline("restore", store, "--prefix", "b", "--at", instant).status == 0)
        #expect(try values() == "{\"a\":\"changed\",\"b\":\"2\",\"c\":\"new\"}\n")
    }

    @Test(arguments: [" | true", " >/dev/full"])
    func keysAreRestoredEvenIfTheChangesCannotBePrinted(_ redirection: String) throws {
        // More output than fits into the program's buffer.
        let keys = (0..<2_000).map { "\"\(String(repeating: "k", count: 40))\($0)\": 1" }
        let file = folder.appending("keys.json")
        try Data("{\(keys.joined(separator: ", "))}".utf8).write(to: URL(filePath: file))
        try #require(tideline("kv", "import", store, file).status == 0)
        let result = try ProgramResult.running(
            executable: "/bin/sh",
            [
                "-c", "\"$0\" restore \"$1\" --prefix '' --at \"$2\"" + redirection,
                Programs.built("tideline"), store, instant,
            ],
            environment: ["HOME": folder.path, "TIDELINE_DEVICE": "desk"])
        #expect(result.status == (redirection.contains("full") ? 74 : 0))
        #expect(try values() == "{\"a\":\"1\",\"b\":\"2\"}\n")
    }

    @Test func dryRunPrintsTheChangesAndWritesNothing() throws {
        let before = try FolderState(of: store)
        let result = try tideline("restore", store, "--prefix", "", "--at", instant, "--dry-run")
        #expect(result.status == 0)
        #expect(result.output.contains("a  \"changed\" → \"1\"\n"))
        #expect(result.output.contains("c  \"new\" → nothing\n"))
        #expect(try FolderState(of: store) == before)
        #expect(try entries().isEmpty)
    }

    @Test func restoringTwiceChangesNothingTheSecondTime() throws {
        #expect(try tideline("restore", store, "a", "--at", instant).status == 0)
        let again = try tideline("restore", store, "a", "--at", instant)
        #expect(again.status == 0 && again.output.isEmpty)
        #expect(try entries().count == 1)
    }

    @Test func keyIsNotDeletedIfItsEarlierRowHasNotArrived() throws {
        try #require(tideline("kv", "set", store, "p", "1", device: "phone").status == 0)
        let log = try tideline("log", store, "--key", "p", "--json").output.jsonObjects()
        let written = try #require(log.first?["date"] as? String)
        try #require(tideline("kv", "set", store, "p", "2").status == 0)
        try FileManager.default.removeItem(atPath: store + "/Devices/phone")
        let result = try tideline("restore", store, "p", "--at", written)
        #expect(result.status == 65)
        #expect(result.errors.contains("has not arrived"), "\(result.errors)")
        #expect(try values().contains("\"p\":\"2\""))
        // Before the missing row, the key did not exist.
        #expect(try tideline("restore", store, "p", "--at", instant).status == 0)
    }

    @Test func unknownKeyIsNotRestored() throws {
        #expect(try tideline("restore", store, "a", "nosuch", "--at", instant).status == 1)
        #expect(try tideline("restore", store, "--at", instant).status == 64)
        #expect(try tideline("restore", store, "a", "--prefix", "a", "--at", "7d").status == 64)
        #expect(try values().contains("\"a\":\"changed\""))
    }

    @Test func onlyPackagesHaveKeysToRestore() throws {
        let catalog = folder.appending("Catalog.db")
        try #require(tideline("servers", "create", catalog).status == 0)
        let text = folder.appending("file.txt")
        try Data("x".utf8).write(to: URL(filePath: text))
        for path in [catalog, text, store + "/Devices/desk/Logs.db"] {
            let result = try tideline("restore", path, "a", "--at", "1h")
            #expect(result.status == 65, "\(path)")
            #expect(result.errors.hasPrefix("tideline: \(path): "))
        }
        #expect(try tideline("restore", store + "-2", "a", "--at", "1h").status == 66)
    }

    @Test func undoRevertsTheLastEditAndCanBeUndone() throws {
        let before = try values()
        #expect(try tideline("undo", store).status == 1)
        try #require(tideline("restore", store, "a", "b", "--at", instant).status == 0)
        let after = try values()
        #expect(try tideline("undo", store).status == 0)
        #expect(try values() == before)
        #expect(try tideline("undo", store).status == 1)
        let undo = try #require(try entries().first)
        #expect(undo["state"] as? String == "done" && undo["undoes"] is String)
        let name = try #require(undo["entry"] as? String)
        #expect(try tideline("undo", store, String(name.prefix(8))).status == 0)
        #expect(try values() == after)
        #expect(try entries().map { $0["state"] as? String } == ["done", "undone", "undone"])
    }

    @Test func undoIsRefusedAfterAnotherDeviceHasBuiltOnTheEdit() throws {
        try #require(tideline("restore", store, "a", "--at", instant).status == 0)
        try #require(tideline("kv", "set", store, "a", "later", device: "phone").status == 0)
        let result = try tideline("undo", store)
        #expect(result.status != 0 && result.errors.contains("can't undo"))
        #expect(try values().contains("\"a\":\"later\""))
    }

    @Test func unknownEntryIsNotUndone() throws {
        try #require(tideline("restore", store, "a", "--at", instant).status == 0)
        #expect(try tideline("undo", store, "zz").status == 1)
        #expect(try tideline("undo", folder.appending("none"), "--list").status == 66)
        #expect(try values().contains("\"a\":\"1\""))
    }

    @Test func undoDataThatIsTooLargeForTheJournalIsReported() async throws {
        let made = try tideline(
            "entities", "add", store, "--type", "note", "--id", "x", "name=short")
        try #require(made.status == 0)
        let state = UserState(environment: ["XDG_STATE_HOME": folder.appending("state")])
        let opener = StoreOpener(device: try DeviceID("desk"), isWritable: true, state: state)
        let editor = try await StoreEditor(store, opener, state: state)
        let pane = PaneID.entities.text
        let long = TypedText(.string, String(repeating: "long", count: 13 << 18))
        let preview = try await editor.source(ofPane: pane).preview(
            .set(RowID("x"), field: FieldPath("name"), long))
        let applied = try await editor.apply([preview], pane: pane)
        #expect(applied?.isRecorded == true)
        #expect(await editor.close() == nil)
        // Undoing this write would need the long text.
        let result = try tideline("undo", store)
        #expect(result.status == 0)
        #expect(result.errors.contains("journal"), "\(result.errors)")
        #expect(try entries().first?["state"] as? String == "final")
    }

    /// Creates a conflict of two devices about `a`.
    private func makeConflict() throws {
        let copy = folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        try #require(tideline("kv", "set", copy, "a", "theirs", device: "phone").status == 0)
        try #require(tideline("kv", "set", store, "a", "ours").status == 0)
        try FileManager.default.copyItem(
            atPath: copy + "/Devices/phone", toPath: store + "/Devices/phone")
    }

    private func isIgnored() throws -> Bool? {
        let list = try tideline("conflicts", store, "--json").output
        let object = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [String: Any]
        return object?["ignored"] as? Bool
    }

    @Test func ignoredConflictIsMarkedUntilAnotherSideIsWritten() throws {
        try makeConflict()
        let before = try FolderState(of: store)
        #expect(try isIgnored() == false)
        #expect(try tideline("ignore", store, "a", "--note", "same thing").status == 0)
        #expect(try isIgnored() == true)
        #expect(try tideline("ignore", store, "a", "--stop").status == 0)
        #expect(try isIgnored() == false)
        #expect(try tideline("ignore", store, "a", "--stop").status == 1)
        #expect(try tideline("ignore", store, "b").status == 1)
        #expect(try FolderState(of: store) == before)
        #expect(try tideline("ignore", store, "a").status == 0)
        try makeConflictAgain()
        #expect(try isIgnored() == false)
    }

    /// Another device writes a side of `a` without having seen the others.
    private func makeConflictAgain() throws {
        let copy = folder.appending("Other.store")
        try FileManager.default.copyItem(
            atPath: folder.appending("Copy.store"), toPath: copy)
        try FileManager.default.removeItem(atPath: copy + "/Devices/phone")
        try #require(tideline("kv", "set", copy, "a", "third", device: "tablet").status == 0)
        try FileManager.default.copyItem(
            atPath: copy + "/Devices/tablet", toPath: store + "/Devices/tablet")
    }

    @Test func entityConflictThatTheBrowserIgnoresIsMarked() async throws {
        func entities(_ arguments: String..., device: String = "desk") throws {
            let result = try ProgramResult.tideline(
                ["entities"] + arguments, home: folder, device: device)
            try #require(result.status == 0, "\(result.errors)")
        }
        try entities("add", store, "--type", "person", "--id", "anna", "name=Anna")
        let copy = folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        try entities("set", store, "anna", "name", "Annie")
        try entities("set", copy, "anna", "name", "Anni", device: "phone")
        try FileManager.default.copyItem(
            atPath: copy + "/Devices/phone", toPath: store + "/Devices/phone")
        #expect(try isIgnored() == false)
        let (session, _) = try await StoreOpener(device: nil).open(EntitiesPart.self, of: store)
        let row = RowID("anna")
        let source = try #require(session.panes.first { $0.id == .entities }?.source)
        let conflict = try #require(try await source.conflict(of: row, at: nil))
        let place = ConflictPlace(
            part: PaneID.entities.part, row: row, property: "name")
        try UserState(environment: ["XDG_STATE_HOME": folder.appending("state")])
            .ignoredConflicts(ofStoreAt: store)
            .keep(IgnoredConflict(place, conflict, note: "", date: Date()))
        #expect(try isIgnored() == true)
    }

    @Test func dryRunCountsTheRowsAndBlobsThatMergingCopies() throws {
        let copy = folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        try #require(tideline("kv", "set", copy, "d", "1", device: "phone").status == 0)
        try #require(tideline("kv", "set", copy, "e", "2", device: "phone").status == 0)
        try Data("text".utf8).write(to: URL(filePath: folder.appending("file")))
        try #require(tideline("blobs", "put", copy, "b.txt", folder.appending("file")).status == 0)
        let before = try FolderState(of: store)
        let dry = try tideline("merge", store, copy, "--dry-run")
        #expect(dry.status == 0)
        #expect(dry.output == "phone  2 rows\nblob  b.txt\n")
        #expect(try FolderState(of: store) == before)
        #expect(try tideline("merge", store, copy).errors.hasSuffix("2 rows\n"))
        #expect(try tideline("merge", store, copy, "--dry-run").output.isEmpty)
    }
}
