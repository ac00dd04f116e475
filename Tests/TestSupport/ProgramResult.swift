import Foundation

/// The output of a program, and how it ended.
public struct ProgramResult: Sendable {
    public let status: Int32
    public let output: String
    public let errors: String

    /// Runs a program of this package to its end.
    public static func running(
        _ name: String, _ arguments: [String], environment: [String: String],
        input: String? = nil
    ) throws -> ProgramResult {
        try running(
            executable: Programs.built(name), arguments, environment: environment, input: input)
    }

    /// Runs `tideline` as a device, or without one, with a folder for its home and user state.
    public static func tideline(
        _ arguments: [String], home folder: TemporaryFolder, device: String? = "desk",
        input: String? = nil
    ) throws -> ProgramResult {
        var environment = ["XDG_STATE_HOME": folder.appending("state"), "HOME": folder.path]
        environment["TIDELINE_DEVICE"] = device
        return try running("tideline", arguments, environment: environment, input: input)
    }

    /// Runs any program in the same way, by its path.
    public static func running(
        executable: String, _ arguments: [String], environment: [String: String],
        input: String? = nil
    ) throws -> ProgramResult {
        let path = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        let program = try RunningProgram(
            executable: executable, arguments,
            environment: environment.merging(path) { given, _ in given }, input: .pipe,
            errors: .pipe)
        let (output, errors) = try program.communicate(input ?? "")
        let status: Int32 =
            switch try program.wait() {
            case .exit(let code): code
            case .signal(let number): number
            }
        return ProgramResult(status: status, output: output, errors: errors)
    }
}
