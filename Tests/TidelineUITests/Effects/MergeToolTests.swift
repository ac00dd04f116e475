import Foundation
import TestSupport
import Testing

@testable import TidelineUI

/// Merge tools, started as `git mergetool` does.
@Suite struct MergeToolTests {
    private let folder: TemporaryFolder
    private let editor: ExternalEditor

    init() throws {
        folder = try TemporaryFolder()
        editor = ExternalEditor(environment: ["TMPDIR": folder.path])
    }

    /// Merges with a tool that runs without a terminal.
    private func merge(_ texts: MergedTexts, with tool: MergeTool) throws -> String {
        try editor.merge(texts, fileExtension: "txt", with: tool) { command, arguments in
            let environment = [
                "HOME": folder.path, "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": folder.appending("gitconfig"),
            ]
            return try? ProgramResult.running(
                executable: "/bin/sh", ["-c", command + " \"$@\"", "sh"] + arguments,
                environment: environment
            ).status
        }
    }

    @Test func commandGetsAllTexts() throws {
        let tool = MergeTool(#"cat "$BASE" "$LOCAL" "$REMOTE" "$BACKUP" > "$MERGED""#)
        let texts = MergedTexts(base: "base", sides: ["local", "remote"], proposal: "start")
        #expect(try merge(texts, with: tool) == "base\nlocal\nremote\nstart")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func programGetsThePathsInItsEnvironment() throws {
        let path = folder.appending("my-merge")
        try Data("#!/bin/sh\ncat \"$LOCAL\" \"$REMOTE\" > \"$MERGED\"\n".utf8)
            .write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        let texts = MergedTexts(base: nil, sides: ["local", "remote"])
        #expect(try merge(texts, with: MergeTool(path)) == "local\nremote")
    }

    @Test func manySidesAreMergedOneByOne() throws {
        let tool = MergeTool(#"sort -u "$LOCAL" "$REMOTE" "$BASE" > "$MERGED""#)
        let texts = MergedTexts(base: nil, sides: ["b\n", "c\n", "a\n"])
        #expect(try merge(texts, with: tool) == "a\nb\nc\n")
    }

    @Test func newlineThatNoTextHadIsRemoved() throws {
        let tool = MergeTool(#"cat "$REMOTE" > "$MERGED""#)
        #expect(try merge(MergedTexts(base: "a", sides: ["b", "c"]), with: tool) == "c")
        #expect(try merge(MergedTexts(base: "a", sides: ["b\n", "c\n"]), with: tool) == "c\n")
        #expect(try merge(MergedTexts(base: "a", sides: ["b", ""]), with: tool) == "")
    }

    @Test(.enabled(if: Programs.installed("git") != nil))
    func toolThatIsConfiguredInGitIsStarted() throws {
        try Data(
            """
            [mergetool "mine"]
                cmd = sort -u \\"$LOCAL\\" \\"$REMOTE\\" > \\"$MERGED\\"
                trustExitCode = true
            [merge]
                tool = mine

            """.utf8
        ).write(to: URL(filePath: folder.appending("gitconfig")))
        let texts = MergedTexts(base: "a", sides: ["c", "b"])
        #expect(try merge(texts, with: MergeTool("mine")) == "b\nc")
        #expect(try merge(texts, with: .ofGit) == "b\nc")
    }

    @Test(arguments: ["exit 3; $MERGED", "no-such-tool"])
    func failingToolChangesNothing(_ setting: String) {
        let error = #expect(throws: RequestFailure.self) {
            try merge(MergedTexts(base: nil, sides: ["a", "b"]), with: MergeTool(setting))
        }
        #expect(error?.message.contains("nothing was changed") == true)
    }

    @Test func mergedTextOfAFailedToolIsKept() throws {
        let error = #expect(throws: RequestFailure.self) {
            try merge(
                MergedTexts(base: nil, sides: ["a", "b"]),
                with: MergeTool(#"echo half > "$MERGED"; exit 3"#))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let kept = folder.appending(try #require(names.first))
        #expect(error?.message.hasSuffix("the text is in \(kept)") == true)
        #expect(FileManager.default.contents(atPath: "\(kept)/MERGED-1.txt") == Data("half\n".utf8))
    }

    @Test func missingResultIsReported() {
        #expect(throws: RequestFailure.self) {
            try merge(
                MergedTexts(base: nil, sides: ["a", "b"]), with: MergeTool(#"rm "$MERGED""#))
        }
    }
}
