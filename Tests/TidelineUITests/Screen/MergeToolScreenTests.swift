import Foundation
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// The merge tool in the conflict screen.
@Suite struct MergeToolScreenTests {
    private let keys: FakeSource

    init() throws { keys = try Sample.notes() }

    /// Opens a conflict with the tool `meld`.
    private func stage() async throws -> Stage {
        var configuration = Configuration()
        configuration.mergeTool = MergeTool("meld")
        let stage = await Stage(try Sample.session(keys: keys), configuration: configuration)
        await stage.press("w", "Enter")
        return stage
    }

    @Test func configuredToolGetsTheSides() async throws {
        let stage = try await stage()
        #expect(stage.text.contains("m: merge in meld"))
        await stage.press("m")
        guard case .merge(let id, let texts, _, let tool) = try #require(stage.requests.last) else {
            Issue.record("no merge tool was asked for")
            return
        }
        #expect(tool == MergeTool("meld"))
        #expect(texts.sides == ["3", "5"])
        await stage.send(.edited(id, .success("4")))
        #expect(stage.text.contains("+ 4"))
        await stage.press("y")
        #expect(keys.entries.first { $0.id.name == "note/1/due" }?.value == "4")
    }

    @Test func sideThatCannotBeShownIsNotMergedByHand() async throws {
        keys.entries[0].hiddenSides = [1]
        let stage = try await stage()
        await stage.press("m")
        #expect(stage.text.contains("the value of dev1 "))
        #expect(!stage.requests.contains { if case .merge = $0 { true } else { false } })
    }

    @Test func sideThatArrivesDuringTheMergeStaysUnresolved() async throws {
        let stage = try await stage()
        await stage.press("m")
        guard case .merge(let id, _, _, _) = try #require(stage.requests.last) else {
            Issue.record("\(stage.text)")
            return
        }
        keys.entries[0].sides.append("6")
        await stage.send(.edited(id, .success("4")))
        #expect(stage.text.contains("have changed"))
        #expect(keys.writes == 0)
    }

    @Test func mergeToolSettingIsANameOrACommand() throws {
        let folder = try TemporaryFolder()
        func tool(_ setting: String) throws -> Configuration {
            try FileManager.default.createDirectory(
                atPath: folder.appending("tideline"), withIntermediateDirectories: true)
            try "merge-tool: \(setting)".write(
                toFile: folder.appending("tideline/config.yaml"), atomically: true, encoding: .utf8)
            return ConfigurationFile(environment: ["XDG_CONFIG_HOME": folder.path]).configuration()
        }
        #expect(try tool("meld").mergeTool == MergeTool("meld"))
        let command = try tool(#"mine "$LOCAL" "$MERGED""#)
        #expect(command.mergeTool?.script.contains(#"mine "$LOCAL" "$MERGED""#) == true)
        #expect(try tool("[]").problems.count == 1)
    }
}
