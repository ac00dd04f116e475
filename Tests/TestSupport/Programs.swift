import Foundation

/// Programs that tests start.
public enum Programs {
    /// The program of a target, which is next to the tests.
    public static func built(_ name: String) -> String {
        // The tests are in a bundle or run by a helper, so the folder is found by the target's
        // file.
        var folders: [URL] = []
        if let executable = Bundle.main.executableURL {
            folders.append(executable.deletingLastPathComponent())
        }
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            folders.append(URL(filePath: argument).deletingLastPathComponent())
        }
        let paths = folders.map { $0.appending(path: name).path }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? paths.last
            ?? name
    }

    /// A program of this machine, found by `PATH`; `nil` if it is missing.
    public static func installed(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program to its end; its children may outlive it.
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String],
        in folder: TemporaryFolder
    ) throws -> String {
        // A pipe would stay open as long as the children do.
        let file = folder.appending("output")
        try RunningProgram(
            executable: program, arguments, environment: environment, output: .file(file),
            errors: .null
        ).wait()
        return String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    }
}
