import Foundation
import Glibc
package import Replication

/// A program that runs alongside this one.
///
/// It is started with `posix_spawn`, because Foundation's `Process` crashed in a program with
/// hundreds of threads, and passes on blocked signals.
package struct ChildProgram: Sendable {
    /// The standard input of a program.
    package enum Input: Sendable {
        case none
        /// This program's input.
        case shared
        case text(String)
        case descriptor(Int32)
    }

    /// The output and errors of a program.
    package enum Output: Sendable {
        /// This program's output and errors.
        case shared
        case discarded
        /// A descriptor for the output. Errors are printed to this program's standard error.
        case descriptor(Int32)
        /// A descriptor for the output and errors. The program has no terminal, and can't draw over
        /// the screen.
        case captured(Int32)
    }

    /// The reason why a program ended.
    package enum Ending: Hashable, Sendable {
        case code(Int32)
        case signal(Int32)

        /// The exit code as shells show it: 128 plus the signal's number if a signal ended the
        /// program.
        package var shellCode: Int32 {
            switch self {
            case .code(let code): code
            case .signal(let signal): 128 + signal
            }
        }
    }

    /// The reason why a program couldn't be started.
    package struct StartError: ExplainedError {
        package let program: String
        package let reason: String
        package var category: ErrorCategory { .inputOutput }
        package var subject: String? { program }
    }

    private let identifier: pid_t
    /// Whether signals are sent to the program and all programs that it started.
    private let leadsGroup: Bool

    /// Starts a program.
    ///
    /// - Parameter path: The path of the executable file, or the name of one in a folder of
    ///   `$PATH`.
    /// - Throws: ``StartError`` if the program can't be started.
    package init(
        path: String, arguments: [String], input: Input = .none, output: Output = .shared
    ) throws(StartError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var file: UnsafeMutablePointer<FILE>?
        defer { if let file { fclose(file) } }
        switch input {
        case .shared: break
        case .none:
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        case .descriptor(let descriptor):
            posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
        case .text(let text):
            // Use a file instead of a pipe, because the program may end without reading its input.
            let made = try Self.file(holding: text, for: path)
            posix_spawn_file_actions_adddup2(&actions, fileno(made), STDIN_FILENO)
            file = made
        }
        switch output {
        case .shared: leadsGroup = false
        case .discarded:
            leadsGroup = false
            for stream in [STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
            }
        case .descriptor(let descriptor):
            leadsGroup = false
            posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO)
        case .captured(let descriptor):
            leadsGroup = true
            for stream in [STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
            }
        }

        // Reset the signals that this thread blocks or that this program ignores, so that the
        // started program doesn't inherit these settings.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
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

    /// Starts a shell command, such as the value of `$EDITOR`.
    ///
    /// - Parameters:
    ///   - command: A program and its options, as shell source.
    ///   - arguments: Additional arguments, each passed as one word regardless of its content.
    /// - Throws: ``StartError`` if the shell can't be started.
    package init(
        shellCommand command: String, arguments: [String], input: Input = .none,
        output: Output = .shared
    ) throws(StartError) {
        // Arguments are passed as positional parameters, never as shell source.
        try self.init(
            path: "/bin/sh", arguments: ["-c", command + " \"$@\"", "sh"] + arguments,
            input: input, output: output)
    }

    /// Waits until the program has ended, without occupying a thread of Swift's pool. Call this
    /// only once.
    package func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: waitUntilEnd()) }
        }
    }

    /// Waits until the program has ended. Call this only once.
    package func waitUntilEnd() -> Ending {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .code((status >> 8) & 0xFF) : .signal(signal)
    }

    /// Waits until the program has ended, but keeps its process identifier reserved, so that
    /// ``send(_:)`` can still be called.
    package func waitWithoutReaping() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {
        }
    }

    package func terminate() { send(SIGTERM) }

    /// Sends a signal. Don't call this after ``ending()`` or ``waitUntilEnd()``, because the
    /// process identifier may belong to another process by then.
    package func send(_ signal: Int32) { kill(leadsGroup ? -identifier : identifier, signal) }

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
