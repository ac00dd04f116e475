import Foundation
import TestSupport
import Testing

/// Standard streams that are closed, full or unread, and very narrow windows.
@Suite struct StandardStreamTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.appending("Notes.store")
        try #require(shell("\"$TIDELINE\" kv create \"$STORE\"").status == 0)
        try #require(shell("\"$TIDELINE\" kv set \"$STORE\" key value").status == 0)
    }

    /// Runs a shell script with the program and the store in its environment.
    private func shell(
        _ script: String, _ environment: [String: String] = [:]
    ) throws -> ProgramResult {
        try ProgramResult.running(
            executable: "/bin/sh", ["-c", script],
            environment: environment.merging(
                [
                    "TIDELINE": Programs.built("tideline"), "STORE": store, "HOME": folder.path,
                    "FOLDER": folder.path, "TIDELINE_DEVICE": "desk",
                ]
            ) { given, _ in given })
    }

    @Test(arguments: ["2>&-", "2>/dev/full", "2>&- >&- <&-"])
    func unreadableErrorStillSetsTheExitCode(_ streams: String) throws {
        let result = try shell("\"$TIDELINE\" info /nowhere \(streams)")
        #expect(result.status == 66 && result.errors.isEmpty)
    }

    @Test(arguments: [">&-", ">/dev/full"])
    func unwritableOutputIsAOneLineError(_ streams: String) throws {
        for command in ["kv list \"$STORE\"", "log \"$STORE\" --json", "--help"] {
            let result = try shell("\"$TIDELINE\" \(command) \(streams)")
            #expect(result.status == 74, "\(command)")
            #expect(result.errors.hasPrefix("tideline: standard output: "), "\(command)")
            #expect(result.errors.filter(\.isNewline).count == 1, "\(result.errors)")
        }
    }

    @Test func differencesSetTheExitCodeEvenIfTheReaderHasClosedThePipe() throws {
        let result = try shell(
            """
            cp -R "$STORE" "$FOLDER/copy"
            for number in 1 2 3; do
                "$TIDELINE" kv set "$FOLDER/copy" "key-$number" "$(printf '%0100000d' 0)"
            done
            { "$TIDELINE" diff "$STORE" "$FOLDER/copy"; echo "status $?" >&2; } | true
            """)
        #expect(result.errors == "status 1\n")
    }

    @Test func outputOfAClosedStreamIsNotWrittenToAnotherFile() throws {
        let written = try shell(
            """
            printf 'of the blob' | "$TIDELINE" blobs put "$STORE" b - >&- 2>&-
            "$TIDELINE" kv set "$STORE" key new --device phone --new-device >&- 2>&-
            "$TIDELINE" blobs get "$STORE" b "$FOLDER/copy" <&- >&- 2>&-
            cat "$FOLDER/copy"
            """)
        #expect(written.output == "of the blob")
        #expect(try shell("\"$TIDELINE\" doctor \"$STORE\"").status == 0)
        #expect(try shell("\"$TIDELINE\" kv get \"$STORE\" key").output == "new\n")
    }

    @Test func watchEndsWhenItsOutputIsClosed() throws {
        let result = try shell("timeout 30 \"$TIDELINE\" watch \"$STORE\" --json | head -1")
        #expect(result.status == 0 && result.output.contains("\"loaded\""))
        // The program ends by itself when the reading end of the pipe closes, even if nothing
        // happens.
        let status = try shell(
            "{ timeout 30 \"$TIDELINE\" watch \"$STORE\"; echo $? >\"$FOLDER/status\"; } | head -1; "
                + "cat \"$FOLDER/status\"")
        #expect(status.output.hasSuffix("\n0\n"), "\(status.output)")
    }

    @Test(arguments: ["1", "0", "-3", "10", "39"])
    func helpIsPrintedInVeryNarrowWindows(_ columns: String) throws {
        for command in ["--help", "kv --help", "kv", "kv set --help", "kv frob"] {
            let result = try shell("\"$TIDELINE\" \(command)", ["COLUMNS": columns])
            #expect(result.status == (command == "kv frob" ? 64 : 0), "\(command)")
            #expect(command == "kv frob" || result.output.contains("--help"), "\(command)")
        }
    }

    @Test func helpIsPrintedOnATerminalOfTenColumns() throws {
        let terminal = try PseudoTerminal(
            Programs.built("tideline"), ["kv", "--help"],
            environment: ["HOME": folder.path, "TERM": "xterm"], columns: 10)
        #expect(try terminal.end() == 0)
    }
}
