import Foundation
import Glibc
import TestSupport
import Testing

/// Commands that fill a new folder and are interrupted by a signal.
@Suite(.timeLimit(.minutes(30))) struct InterruptedCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts a command, and sends a signal once its temporary folder exists.
    ///
    /// - Returns: How the command ended, and the names in the folder then.
    private func interrupt(
        _ arguments: [String], by signal: Int32
    ) throws -> (RunningProgram.Ending, [String]) {
        let out = folder.appending("out")
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let program = try RunningProgram(
            "tideline", arguments.map { $0 == "NEW" ? out + "/New.store" : $0 },
            environment: [
                "HOME": folder.path, "PATH": "/usr/bin:/bin", "TIDELINE_DEVICE": "desk",
            ],
            output: .null, errors: .null)
        while program.isRunning, try FileManager.default.contentsOfDirectory(atPath: out).isEmpty {
            usleep(1_000)
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
}
