import Foundation
import TestSupport
import Testing

/// `tideline resolve --tool`: merge tools started as `git mergetool` does.
@Suite struct ResolveToolCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.appending("Notes.store")
        try #require(tideline("kv", "create", store).status == 0)
    }

    private func tideline(
        _ arguments: String..., device: String = "desk", input: String? = nil
    ) throws -> ProgramResult {
        try ProgramResult.running(
            "tideline", arguments,
            environment: [
                "HOME": folder.path, "XDG_STATE_HOME": folder.appending("state"),
                "XDG_CONFIG_HOME": folder.appending("config"), "TMPDIR": folder.path,
                "GIT_CONFIG_GLOBAL": folder.appending("gitconfig"), "GIT_CONFIG_NOSYSTEM": "1",
                "TIDELINE_DEVICE": device,
            ], input: input)
    }

    /// Makes a conflict: each device writes in a copy of the store that has only the base.
    private func disagree(_ key: String, base: String, _ sides: [String], as type: String) throws {
        let files = FileManager.default
        try #require(tideline("kv", "set", store, key, base, "--as", type).status == 0)
        let copy = folder.appending("Copy.store")
        try files.copyItem(atPath: store, toPath: copy)
        for (place, side) in sides.enumerated() {
            let own = folder.appending("Own.store")
            try files.copyItem(atPath: copy, toPath: own)
            let device = "device-\(place)"
            try #require(
                tideline("kv", "set", own, key, side, "--as", type, device: device).status == 0)
            try files.moveItem(
                atPath: "\(own)/Devices/\(device)", toPath: "\(store)/Devices/\(device)")
            try files.removeItem(atPath: own)
        }
        try files.removeItem(atPath: copy)
        try #require(tideline("conflicts", store).output.hasPrefix(key))
    }

    private func configure(_ setting: String) throws {
        let path = folder.appending("config/tideline")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try "merge-tool: |\n  \(setting)\n".write(
            toFile: path + "/config.yaml", atomically: true, encoding: .utf8)
    }

    private func value(_ key: String) throws -> String {
        try tideline("kv", "get", store, key, "--json").output
    }

    @Test func configuredCommandResolvesTheConflict() throws {
        try disagree("title", base: "a", ["b", "c"], as: "string")
        try configure(#"cat "$BASE" "$LOCAL" "$REMOTE" > "$MERGED""#)
        let result = try tideline("resolve", store, "title", "--tool")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("+ \"a\\nc\\nb\""))
        #expect(try value("title") == #""a\nc\nb""# + "\n")
        #expect(try tideline("conflicts", store).output.isEmpty)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!left.contains { $0.hasPrefix("tideline-") }, "\(left)")
    }

    @Test(.enabled(if: Programs.installed("git") != nil))
    func toolOfGitIsStartedByName() throws {
        try Data(
            """
            [mergetool "mine"]
                cmd = cat \\"$REMOTE\\" > \\"$MERGED\\"
                trustExitCode = true

            """.utf8
        ).write(to: URL(filePath: folder.appending("gitconfig")))
        try disagree("title", base: "a", ["b", "c"], as: "string")
        #expect(try tideline("resolve", store, "title", "--tool", "mine").status == 0)
        #expect(try value("title") == #""b""# + "\n")
    }

    @Test func threeSidesAreMergedAndTheTypeIsKept() throws {
        try disagree("numbers", base: "[]", ["[1]", "[2]", "[3]"], as: "json")
        // Appends the rest of the files' lines between the brackets.
        try configure(
            #"{ echo '['; cat "$LOCAL" "$REMOTE" | tr -d '[], \n' | sed 's/./&,/g; s/,$//'; "#
                + #"echo ']'; } > "$MERGED""#)
        let result = try tideline("resolve", store, "numbers", "--tool")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try value("numbers") == "[3,2,1]\n")
    }

    @Test func invalidOrFailedResultWritesNothing() throws {
        try disagree("count", base: "1", ["2", "3"], as: "integer")
        try configure(#"echo five > "$MERGED""#)
        let invalid = try tideline("resolve", store, "count", "--tool")
        #expect(invalid.status == 65)
        #expect(invalid.errors.contains("\"five\""))
        let kept = invalid.errors.components(separatedBy: "the merged text is in ")
        let path = try #require(kept.last).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "five")
        try configure(#": "$MERGED"; exit 4"#)
        let failed = try tideline("resolve", store, "count", "--tool")
        #expect(failed.status == 74 && failed.errors.contains("exited with 4"))
        #expect(try tideline("conflicts", store).output.hasPrefix("count"))
    }

    @Test(.enabled(if: Programs.installed("git") != nil), arguments: ["nosuchtool", "command"])
    func missingToolIsWrongUsage(_ kind: String) throws {
        try disagree("title", base: "a", ["b", "c"], as: "string")
        try configure(#"nosuchcommand "$MERGED""#)
        let result =
            try kind == "command"
            ? tideline("resolve", store, "title", "--tool")
            : tideline("resolve", store, "title", "--tool", kind)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains("can't find nosuch"))
        #expect(try tideline("conflicts", store).output.hasPrefix("title"))
    }

    /// Another device's row arrives while the tool runs.
    @Test func sideThatArrivesWhileTheToolRunsStaysUnresolved() throws {
        try disagree("title", base: "a", ["b", "c"], as: "string")
        let other = folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: store, toPath: other)
        try #require(tideline("kv", "set", other, "title", "late", device: "late").status == 0)
        try configure(
            #"echo merged > "$MERGED"; cp -r \#(other)/Devices/late \#(store)/Devices/late"#)
        let result = try tideline("resolve", store, "title", "--tool")
        #expect(result.status != 0)
        #expect(result.errors.contains("has changed"))
        #expect(try value("title") == #""late""# + "\n")
    }

    @Test func resolvingAKeyWithoutAConflictExitsWithOne() throws {
        try #require(tideline("kv", "set", store, "a", "1").status == 0)
        #expect(try tideline("resolve", store, "a", "--tool").status == 1)
        #expect(try tideline("resolve", store, "a", "--tool", "x", "--take", "desk").status == 64)
    }
}
