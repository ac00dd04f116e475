package import Foundation

/// A program to run to completion: the baseline of a measurement, or this program again.
package struct Program {
    private let executable: URL
    private let leading: [String]

    package init(path: String) {
        executable = URL(filePath: path)
        leading = []
    }

    /// Finds a program in PATH.
    package init(named name: String) {
        executable = URL(filePath: "/usr/bin/env")
        leading = [name]
    }

    /// Runs the program and returns its output.
    ///
    /// - Parameters:
    ///   - input: A file to use as standard input.
    ///   - status: The exit code of success.
    package func run(
        _ arguments: [String], input: URL? = nil, status: Int32 = 0
    ) throws -> String {
        let output = Pipe()
        let process = try start(arguments, input, output)
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        try end(process, arguments, status)
        return String(decoding: data, as: UTF8.self)
    }

    /// Runs the program and discards its output, so that reading tens of megabytes doesn't affect
    /// its time.
    package func runAlone(_ arguments: [String]) throws {
        try end(start(arguments, nil, FileHandle.nullDevice), arguments)
    }

    private func start(_ arguments: [String], _ input: URL?, _ output: Any) throws -> Process {
        let process = Process()
        process.executableURL = executable.resolvingSymlinksInPath()
        process.arguments = leading + arguments
        if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
        process.standardOutput = output
        try process.run()
        return process
    }

    private func end(
        _ process: Process, _ arguments: [String], _ status: Int32 = 0
    ) throws {
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == status else {
            let command = (leading + arguments.prefix(3)).joined(separator: " ")
            throw BenchError(
                "'\(executable.path) \(command.prefix(100))' ended with \(process.terminationStatus)"
            )
        }
    }
}
