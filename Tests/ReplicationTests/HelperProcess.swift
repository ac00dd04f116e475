import Foundation
import Glibc
import TestSupport

/// The program `crash-writer`, run as another process.
final class HelperProcess {
    private let program: RunningProgram

    /// Whether the program exists next to the test program.
    static var isAvailable: Bool { access(path, X_OK) == 0 }

    private static var path: String {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let folder = URL(fileURLWithPath: program ?? CommandLine.arguments[0])
            .deletingLastPathComponent()
        return folder.appending(path: "crash-writer").path
    }

    init(_ arguments: String...) throws {
        program = try RunningProgram(executable: Self.path, arguments)
    }

    /// Returns the next line, or `nil` at the end of the output or after a timeout.
    func line() -> String? { (try? program.line()) ?? nil }

    /// Returns the remaining lines until the end of the output.
    func lines() -> [String] { (try? program.lines()) ?? [] }

    func kill() { _ = try? program.end() }
}
