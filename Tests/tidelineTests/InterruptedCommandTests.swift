import Foundation
import Glibc
import TestSupport
import Testing

/// Commands that fill a new folder or file and are interrupted by a signal.
@Suite(.timeLimit(.minutes(30))) struct InterruptedCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts a command, and sends a signal once its temporary folder or file exists.
    ///
    /// - Parameter place: The folder in which the command creates it.
    /// - Returns: How the command ended, and the names in the folder then.
    private func interrupt(
        _ arguments: [String], by signal: Int32, in place: String = "out"
    ) throws -> (RunningProgram.Ending, [String]) {
        let out = folder.appending(place)
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let program = try RunningProgram(
            "tideline", arguments.map { $0 == "NEW" ? out + "/New.store" : $0 },
            environment: [
                "HOME": folder.path, "PATH": "/usr/bin:/bin", "TIDELINE_DEVICE": "desk",
            ],
            output: .null, errors: .null)
        try waitBlocking {
            try !program.isRunning
                || !FileManager.default.contentsOfDirectory(atPath: out).isEmpty
        }
        program.send(signal)
        let ending = try program.wait()
        return (ending, try FileManager.default.contentsOfDirectory(atPath: out))
    }

    @Test(arguments: [SIGINT, SIGTERM]) func interruptedDemoLeavesNothing(_ signal: Int32) throws {
        let (ending, names) = try interrupt(
            ["demo", "NEW", "--no-open", "--rows", "10000000"], by: signal)
        #expect(ending == .exit(128 + signal))
        #expect(names.isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func interruptedExtractionIsCompleteOrLeavesNothing(_ signal: Int32) throws {
        let store = folder.appending("Big.store")
        let made = try ProgramResult.tideline(
            ["demo", store, "--no-open", "--rows", "20000"], home: folder)
        try #require(made.status == 0, "\(made.errors)")
        let (ending, names) = try interrupt(
            ["extract", store, "--prefix", "", "--output", "NEW"], by: signal)
        // The signal can arrive after the last step.
        #expect(ending == .exit(128 + signal) || ending == .exit(0))
        #expect(names.isEmpty || names == ["New.store"], "\(names)")
        if ending == .exit(0) { #expect(names == ["New.store"]) }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func interruptedBlobLeavesNothing(_ signal: Int32) throws {
        let store = folder.appending("Notes.store")
        let made = try ProgramResult.tideline(["kv", "create", store], home: folder)
        try #require(made.status == 0, "\(made.errors)")
        // Nothing is ever written to the pipe.
        let pipe = folder.appending("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let end = open(pipe, O_RDWR | O_CLOEXEC)
        try #require(end >= 0)
        defer { close(end) }
        let (ending, names) = try interrupt(
            ["blobs", "put", store, "big", pipe], by: signal, in: "Notes.store/Blobs")
        #expect(ending == .exit(128 + signal))
        #expect(names.isEmpty, "\(names)")
    }

    @Test(arguments: [
        ["blobs", "put", "STORE", "b", "PIPE"], ["tables", "import", "DB", "t", "PIPE"],
    ])
    func signalThatWasIgnoredAtTheStartIsStillIgnored(_ arguments: [String]) throws {
        let paths = [
            "STORE": folder.appending("Notes.store"), "DB": folder.appending("a.db"),
            "PIPE": folder.appending("pipe.csv"),
        ]
        let made = try ProgramResult.tideline(
            ["kv", "create", folder.appending("Notes.store")], home: folder)
        try #require(made.status == 0, "\(made.errors)")
        try runSQL("CREATE TABLE t (a)", at: folder.appending("a.db"), isTransaction: false)
        try #require(mkfifo(folder.appending("pipe.csv"), 0o600) == 0)
        let end = open(folder.appending("pipe.csv"), O_RDWR | O_CLOEXEC)
        try #require(end >= 0 && write(end, "a\n1\n", 4) == 4)
        // A shell passes on an ignored signal.
        let program = try RunningProgram(
            executable: "/bin/sh",
            ["-c", "trap '' INT; exec \"$0\" \"$@\"", Programs.built("tideline")]
                + arguments.map { paths[$0] ?? $0 },
            environment: [
                "HOME": folder.path, "PATH": "/usr/bin:/bin", "TIDELINE_DEVICE": "desk",
            ],
            output: .null)
        // The command handles signals before it reads the pipe.
        try waitBlocking {
            var state = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
            return !program.isRunning || poll(&state, 1, 0) == 0
        }
        program.send(SIGINT)
        #expect(write(end, "2\n", 2) == 2)
        close(end)
        #expect(try program.wait() == .exit(0))
    }
}
