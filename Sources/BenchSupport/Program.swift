package import Foundation

/// Another program, run to its end: the plain thing beside a measurement, or this one again.
package struct Program {
    private let executable: URL
    private let leading: [String]

    package init(path: String) {
        executable = URL(filePath: path)
        leading = []
    }

    /// A program found in PATH.
    package init(named name: String) {
        executable = URL(filePath: "/usr/bin/env")
        leading = [name]
    }

    /// Runs it and returns what it printed.
    ///
    /// - Parameter input: A file to read from.
    package func run(_ arguments: [String], input: URL? = nil) throws -> String {
        let output = Pipe()
        let process = try start(arguments, input, output)
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        try end(process, arguments)
        return String(decoding: data, as: UTF8.self)
    }

    /// Runs it and drops what it prints: what it takes by itself, without somebody who reads tens of
    /// megabytes beside it.
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

    private func end(_ process: Process, _ arguments: [String]) throws {
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let command = (leading + arguments.prefix(3)).joined(separator: " ")
            throw BenchError(
                "'\(executable.path) \(command.prefix(100))' ended with \(process.terminationStatus)"
            )
        }
    }
}
