import Foundation
import Glibc
package import Replication

/// A program that runs alongside this one.
///
/// It is started with `posix_spawn`: Foundation's `Process` crashed in a program with hundreds of
/// threads, and passes on blocked signals. It shares the output and error streams unless they are
/// discarded or captured.
package struct ChildProgram: Sendable {
    /// How a program ended.
    package enum Ending: Hashable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    /// The reason why a program couldn't be started.
    package struct StartError: ExplainedError, CustomStringConvertible {
        package let program: String
        package let reason: String
        package var category: ErrorCategory { .inputOutput }
        package var subject: String? { program }
        package var description: String { "\(program): \(reason)" }
    }

    private let identifier: pid_t
    /// Whether signals go to everything that the program started.
    private let leadsGroup: Bool

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The path of the executable file, or the name of one in a folder of `$PATH`.
    ///   - input: The text of its standard input; `nil` for none.
    ///   - sharesInput: Whether it reads from this program's standard input.
    ///   - isSilent: Whether its output and errors are discarded.
    ///   - output: The descriptor that gets its output and errors; `nil` for this program's own. With
    ///     a descriptor, the program has no terminal, and can't draw over the screen.
    /// - Throws: ``StartError`` if it can't be started.
    package init(
        path: String, arguments: [String], input: String? = nil, sharesInput: Bool = false,
        isSilent: Bool = false, output: Int32? = nil
    ) throws(StartError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A file instead of a pipe: the program may end without reading its input.
        let file = try input.map { text throws(StartError) in
            try Self.file(holding: text, for: path)
        }
        defer { if let file { fclose(file) } }
        if let file {
            posix_spawn_file_actions_adddup2(&actions, fileno(file), STDIN_FILENO)
        } else if !sharesInput {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        for stream in isSilent ? [STDOUT_FILENO, STDERR_FILENO] : [] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
        }
        for stream in output == nil ? [] : [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_adddup2(&actions, output ?? stream, stream)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        leadsGroup = output != nil
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK)
                | (leadsGroup ? Self.newSession : 0))

        let words = [path] + arguments
        guard !words.contains(where: { $0.utf8.contains(0) }) else {
            throw StartError(program: path, reason: "an argument contains a null character")
        }
        var pointers = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, path, &actions, &attributes, &pointers, environ)
        guard result == 0 else {
            throw StartError(
                program: path,
                reason: "it can't be started: \(String(cString: strerror(result)))")
        }
        identifier = process
    }

    /// Waits until the program has ended, without occupying a thread of Swift's pool.
    ///
    /// Call it once.
    package func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: waitUntilEnd()) }
        }
    }

    /// Waits until the program has ended. Call it once.
    package func waitUntilEnd() -> Ending {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .code((status >> 8) & 0xFF) : .signal(signal)
    }

    /// Waits until the program has ended, without forgetting it: ``send(_:)`` can still be called.
    func waitWithoutForgetting() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {
        }
    }

    /// Asks the program to end.
    package func terminate() { send(SIGTERM) }

    /// Sends a signal. Don't call it after the end was waited for: the number of the process may
    /// belong to another one.
    func send(_ signal: Int32) { kill(leadsGroup ? -identifier : identifier, signal) }

    /// The flag of `posix_spawn` that starts a session without a terminal. The C library's header
    /// declares it only for GNU programs.
    private static let newSession: Int16 = 0x80

    /// Returns a nameless file, to be read from its start.
    private static func file(
        holding text: String, for path: String
    ) throws(StartError) -> UnsafeMutablePointer<FILE> {
        guard let file = tmpfile() else {
            throw StartError(program: path, reason: "its input can't be prepared")
        }
        let bytes = Array(text.utf8)
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0,
            lseek(fileno(file), 0, SEEK_SET) == 0
        else {
            fclose(file)
            throw StartError(program: path, reason: "its input can't be prepared")
        }
        return file
    }
}
