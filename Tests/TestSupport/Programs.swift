import Foundation
import Glibc

/// Programs that tests start.
public enum Programs {
    /// The program of a target, which stands beside the tests.
    public static func built(_ name: String) -> String {
        // The tests are in a bundle or run by a helper: the folder is found by the target's file.
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

    /// A program of this machine, by PATH; `nil` when it is not there.
    public static func installed(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program to its end; what it wrote to standard output. Its children may live on.
    ///
    /// `Process` waits for these too, as they keep its socket open.
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String],
        in folder: TemporaryFolder
    ) throws -> String {
        let file = folder.appending("output")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // A test's thread holds back signals, which the program would go on to do.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var process: pid_t = 0
        guard posix_spawn(&process, program, &actions, &attributes, &words, &variables) == 0 else {
            throw PseudoTerminal.Failure(description: "\(program) cannot be started")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    }
}
