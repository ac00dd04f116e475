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
        let process = Process()
        process.executableURL = executable.resolvingSymlinksInPath()
        process.arguments = leading + arguments
        if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let command = (leading + arguments.prefix(3)).joined(separator: " ")
            throw BenchError(
                "'\(executable.path) \(command.prefix(100))' ended with \(process.terminationStatus)"
            )
        }
        return String(decoding: data, as: UTF8.self)
    }
}
