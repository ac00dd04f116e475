import TestSupport
import Testing

/// Processes that can open few files or start no thread.
@Suite struct ProcessLimitTests {
    private static let problem = Comment(rawValue: FailingSystem.problem ?? "")

    @Test(arguments: [5, 8]) func tooFewOpenFilesAreAnError(_ limit: Int) throws {
        let folder = try TemporaryFolder()
        let result = try ProgramResult.running(
            executable: "/bin/sh",
            ["-c", "ulimit -n \(limit); exec \"$0\" --version", Programs.built("tideline")],
            environment: ["HOME": folder.path])
        #expect(result.status == 74)
        #expect(
            result.errors.hasPrefix("tideline: start: too many open files\n"), "\(result.errors)")
    }

    @Test(.enabled(if: FailingSystem.problem == nil, problem))
    func missingThreadIsAnError() throws {
        let folder = try TemporaryFolder()
        let environment = try FailingSystem.environmentWithoutThreads()
        let result = try ProgramResult.running(
            "tideline", ["--version"],
            environment: environment.merging(["HOME": folder.path]) { $1 })
        #expect(result.status == 74)
        #expect(result.errors.hasPrefix("tideline: start: can't start a thread: "))
    }
}
