import Foundation
import TestSupport

/// The program in `Tests/DocumentPeers`. It needs Python and the `automerge` package from PyPI.
enum PythonPeer {
    static let isAvailable: Bool = {
        guard let python = Programs.installed("python3") else { return false }
        let result = try? ProgramResult.running(
            executable: python, ["-c", "from automerge import core"],
            environment: environment)
        return result?.status == 0
    }()

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func run(_ arguments: String...) throws -> [String: Described] {
        try JSONDecoder().decode([String: Described].self, from: output(arguments))
    }

    static func runForOne(_ arguments: String...) throws -> Described {
        try JSONDecoder().decode(Described.self, from: output(arguments))
    }

    private static func output(_ arguments: [String]) throws -> Data {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "DocumentPeers/storage_folder.py").path
        let result = try ProgramResult.running(
            executable: Programs.installed("python3") ?? "", [script] + arguments,
            environment: environment)
        guard result.status == 0 else { throw Failure(description: result.errors) }
        return Data(result.output.utf8)
    }

    private static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["HOME", "PYENV_ROOT"].contains($0.key) }
    }

    /// A document as the program describes it.
    struct Described: Decodable, Equatable {
        var heads: [String]
        var content: [String: String]
        var files: [String]?
        var misnamed: [String]?
    }
}
