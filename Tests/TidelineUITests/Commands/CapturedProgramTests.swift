import Foundation
import Glibc
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Programs whose output is captured.
@Suite struct CapturedProgramTests {
    private func shell(_ line: String) async throws -> CommandResult {
        try await CapturedProgram.run(["/bin/sh", "-c", line])
    }

    @Test func outputAndErrorsKeepTheirOrder() async throws {
        let result = try await shell("echo one; echo two >&2; echo three; exit 3")
        #expect(result == .init(code: 3, output: "one\ntwo\nthree\n", lastLine: "three"))
    }

    @Test func programIsFoundInPath() async throws {
        #expect(try await CapturedProgram.run(["echo", "a  b"]).output == "a  b\n")
    }

    @Test func missingProgramIsAnError() async throws {
        let error = await #expect(throws: ChildProgram.StartError.self) {
            try await CapturedProgram.run(["tideline-no-such-program"])
        }
        #expect(
            error?.description
                == "tideline-no-such-program: it can't be started: No such file or directory")
    }

    @Test func signalIsShownAsByShells() async throws {
        #expect(try await shell("kill -TERM $$").code == 128 + SIGTERM)
    }

    @Test func programHasNeitherInputNorTerminal() async throws {
        #expect(
            try await shell("cat; (exec </dev/tty) 2>/dev/null || echo none").output == "none\n")
    }

    @Test func longOutputIsCutAtItsLimit() async throws {
        let result = try await shell("head -c 3000000 /dev/zero | tr '\\0' a; echo; echo last")
        #expect(result.output.utf8.count == CapturedText.limit && result.isCut)
        #expect(result.lastLine == "last")
    }

    @Test(arguments: ["", "trap '' TERM; "])
    func endlessOutputEndsTheProgram(_ preparation: String) async throws {
        let result = try await shell("\(preparation)while :; do head -c 9999999 /dev/zero; done")
        #expect(result.wasEnded && result.isCut && result.code > 128)
        #expect(result.output.utf8.count == CapturedText.limit)
    }

    @Test(arguments: [
        ("\\033[1;31mred\\033[0m", "red"), ("\\033]0;title\\007a", "a"),
        ("\\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\", "link"), ("\\033(Ba\\033=b", "ab"),
        ("a\\033[2Kb", "ab"), ("\\033Pq\\033\\\\a", "a"),
        // Incomplete sequences hide nothing.
        ("a\\033", "a\u{1B}"), ("\\033[1;", "\u{1B}[1;"), ("\\033]0;x\\ny", "\u{1B}]0;x\ny"),
        ("\\033\\033[1mx", "\u{1B}x"),
    ])
    func escapeSequencesAreRemoved(_ printed: String, _ expected: String) async throws {
        let result = try await shell("printf '\(printed)'")
        #expect(result.output == expected)
        #expect(result.lastLine == expected.split(separator: "\n").last.map(String.init))
    }

    @Test func backgroundProgramsCannotPrintForever() async throws {
        #expect(try await shell("yes & exit 3").code == 3)
    }

    @Test func programIsAwaitedAfterClosingItsOutput() async throws {
        #expect(try await shell("exec >&- 2>&-; sleep 0.1; exit 7").code == 7)
    }

    @Test func backgroundProgramsAreNotAwaited() async throws {
        let result = try await shell("sleep 3600 & echo $!")
        let left = try #require(pid_t(result.output.dropLast()))
        #expect(result.code == 0 && kill(left, SIGKILL) == 0)
    }

    /// All started programs keep a named pipe open. The pipe ends when all of them have ended.
    @Test(arguments: ["", "trap '' TERM; "])
    func cancelingAProgramAlsoEndsItsChildProcesses(_ preparation: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("running")
        #expect(mkfifo(path, 0o600) == 0)
        let task = Task {
            try await shell("\(preparation)exec 9> '\(path)'; sleep 3600 & sleep 3600; sleep 3600")
        }
        let running = await Task.detached { open(path, O_RDONLY | O_CLOEXEC) }.value
        defer { close(running) }
        task.cancel()
        #expect(try await task.value.code > 128)
        let count = await Task.detached {
            var byte: UInt8 = 0
            return read(running, &byte, 1)
        }.value
        #expect(count == 0)
    }
}
