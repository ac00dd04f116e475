import Foundation
import TestSupport
import Testing

/// `tideline resolve --rules`: the rules of the settings, as `M` applies them in the browser.
@Suite struct ResolveRulesCommandTests: CommandSuite {
    let stage: CommandStage

    /// desk and phone disagree about three keys and a property.
    init() throws {
        stage = try CommandStage()
        let apart = folder.appending("Apart.store")
        let add = ["entities", "add", store, "--type", "note", "--id", "n", "title=first"]
        try #require(ProgramResult.tideline(add, home: folder).status == 0)
        try FileManager.default.copyItem(atPath: store, toPath: apart)
        for (path, device) in [(store, "desk"), (apart, "phone")] {
            for key in ["list/a", "note/b", "note/c"] {
                try #require(tideline("kv", "set", path, key, device, device: device).status == 0)
            }
            try #require(
                tideline("entities", "set", path, "n", "title", device, device: device).status == 0)
        }
        try FileManager.default.moveItem(
            atPath: apart + "/Devices/phone", toPath: store + "/Devices/phone")
    }

    private func configure(_ rules: String) throws {
        let settings = folder.appending(".config/tideline")
        try FileManager.default.createDirectory(
            atPath: settings, withIntermediateDirectories: true)
        try Data("resolve: \(rules)\n".utf8).write(to: URL(filePath: settings + "/config.yaml"))
    }

    private func conflictCount() throws -> Int {
        try tideline("conflicts", store, "--json").output.split(separator: "\n").count
    }

    @Test func firstRuleThatAppliesResolvesEachConflict() async throws {
        try configure(#"{"note/*": as desk, "* › title": as desk}"#)
        let result = try tideline("resolve", store, "--rules")
        #expect(result.status == 0 && result.errors.isEmpty)
        let lines = result.output.split(separator: "\n")
        #expect(lines.map { $0.prefix(6) } == ["note/b", "note/c", "phone "])
        #expect(try conflictCount() == 1)
        #expect(try tideline("kv", "get", store, "note/b").output.contains("desk"))
        #expect(
            try tideline("entities", "show", store, "n", "--json").output.contains(#""desk""#))
        let again = try tideline("resolve", store, "--rules")
        #expect(again.status == 0 && again.errors.contains("no rule applies"))
        let list = try tideline("undo", store, "--list").output
        #expect(list.contains("and 2 more") && !list.contains("and 1 more"))
        #expect(try tideline("undo", store).status == 0)
        #expect(try conflictCount() == 4)
    }

    @Test func dryRunPrintsTheChangesAndWritesNothing() throws {
        try configure(#"{"*": newest}"#)
        let before = try FolderState(of: store)
        let result = try tideline("resolve", store, "--rules", "--dry-run")
        #expect(result.status == 0 && result.output.split(separator: "\n").count == 4)
        #expect(try FolderState(of: store) == before)
        #expect(try !tideline("undo", store, "--list").output.contains("conflicts"))
    }

    @Test func ignoredConflictsStay() throws {
        try configure(#"{"note/*": newest}"#)
        try #require(tideline("ignore", store, "note/b").status == 0)
        #expect(try tideline("resolve", store, "--rules").status == 0)
        let left = try tideline("conflicts", store).output
        #expect(left.contains("note/b") && !left.contains("note/c"))
    }

    @Test func problemsWithRulesAreReported() throws {
        #expect(try tideline("resolve", store, "--rules").status == 64)
        try configure(#"{"note/*": as nobody, "note/c": newest}"#)
        let result = try tideline("resolve", store, "--rules")
        #expect(result.status == 0)
        #expect(result.errors == "tideline: rule note/*: no device nobody\n")
        #expect(try conflictCount() == 3)
        #expect(try tideline("resolve", store, "note/b", "--rules").status == 64)
        #expect(try tideline("resolve", store, "note/b", "--dry-run").status == 64)
        #expect(try tideline("resolve", store, "note/b").status == 64)
        #expect(try tideline("resolve", store, "--take", "desk").status == 64)
        #expect(try tideline("resolve", folder.appending("none"), "--rules").status == 66)
        #expect(try tideline("resolve", store + "/Devices/desk/Logs.db", "--rules").status == 65)
    }
}
