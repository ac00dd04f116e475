import ArgumentParser
import CommandSupport
import Foundation
import Glibc
import Replication

struct SyncDocuments: ParsableCommand {
    static let configuration = SyncArguments.configuration

    @OptionGroup var arguments: SyncArguments

    func run() throws { try SyncProgram.replaceThisProcess() }
}

struct ServeDocuments: ParsableCommand {
    static let configuration = ServeArguments.configuration

    @OptionGroup var arguments: ServeArguments

    func run() throws { try SyncProgram.replaceThisProcess() }
}

/// The program `tideline-sync`, which uses the network. It is next to this program or in PATH.
private enum SyncProgram {
    private static let name = "tideline-sync"

    /// Replaces this process with `tideline-sync`, with the same arguments. That program receives
    /// the signals and determines the exit code.
    ///
    /// - Throws: `Failure` if the program is missing or can't be run.
    static func replaceThisProcess() throws -> Never {
        let arguments = [name] + CommandLine.arguments.dropFirst().drop { $0 == "docs" }
        guard let path = candidates.first(where: FileManager.default.isExecutableFile(atPath:))
        else {
            throw Failure(
                .noSuchFile, name, "neither next to tideline nor in PATH",
                suggestion: "to build it (takes a few minutes): swift build --product \(name)")
        }
        var words = arguments.map { strdup($0) } + [nil]
        execv(path, &words)
        let reason = errno
        for word in words { free(word) }
        throw Failure(system: reason, path)
    }

    private static var candidates: [String] {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = own.map { URL(filePath: $0).deletingLastPathComponent().path }
        return ([beside].compactMap(\.self) + folders.map(String.init)).map { "\($0)/\(name)" }
    }
}
