import Foundation
import Glibc

/// The program `crash-writer`, run as another process.
final class HelperProcess {
    private let process = Process()
    private let output = Pipe()
    private var buffer: [UInt8] = []

    /// It is built into the folder of the test program.
    static var isAvailable: Bool { access(path, X_OK) == 0 }

    private static var path: String {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let folder = URL(fileURLWithPath: program ?? CommandLine.arguments[0])
            .deletingLastPathComponent()
        return folder.appending(path: "crash-writer").path
    }

    init(_ arguments: String...) throws {
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    var number: Int32 { process.processIdentifier }

    /// The next line, or `nil` at the end of the output.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeSubrange(...end)
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            buffer += more
        }
    }

    /// All complete lines to the end of the output.
    func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    func kill() {
        Glibc.kill(number, SIGKILL)
        process.waitUntilExit()
    }

    func wait() { process.waitUntilExit() }

    deinit {
        if process.isRunning { kill() }
    }
}
