import Foundation

/// What a program printed and how it ended.
public struct ProgramResult: Sendable {
    public let status: Int32
    public let output: String
    public let errors: String

    /// Runs a program of this package to its end.
    ///
    /// - Parameters:
    ///   - environment: Added to `PATH`; nothing else of the tests' own environment is handed on.
    ///   - input: Its standard input; nothing by default.
    public static func running(
        _ name: String, _ arguments: [String], environment: [String: String],
        input: String? = nil
    ) throws -> ProgramResult {
        try running(
            executable: Programs.built(name), arguments, environment: environment, input: input)
    }

    /// Runs `tideline` as a device, with a folder for its home and what it keeps of a user.
    public static func tideline(
        _ arguments: [String], home folder: TemporaryFolder, device: String = "desk",
        input: String? = nil
    ) throws -> ProgramResult {
        try running(
            "tideline", arguments,
            environment: [
                "XDG_STATE_HOME": folder.appending("state"), "HOME": folder.path,
                "TIDELINE_DEVICE": device,
            ], input: input)
    }

    /// The same with any program, by its path.
    public static func running(
        executable path: String, _ arguments: [String], environment: [String: String],
        input: String? = nil
    ) throws -> ProgramResult {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = environment.merging(
            ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        ) { given, _ in given }
        let (input, output, errors) = (input ?? "", Pipe(), Pipe())
        let stdin = Pipe()
        process.standardInput = stdin
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        // Errors are few and fit the pipe; results may be many and are read as they come.
        let result = try output.fileHandleForReading.readToEnd() ?? Data()
        let problems = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return ProgramResult(
            status: process.terminationStatus, output: String(decoding: result, as: UTF8.self),
            errors: String(decoding: problems, as: UTF8.self))
    }
}
