import Foundation
import Glibc

/// A program that runs beside this one.
///
/// It is started with `posix_spawn`: Foundation's `Process` crashed in a program with hundreds of
/// threads, and passes on blocked signals. It shares the output and error streams unless it is silent.
package struct ChildProgram: Sendable {
    /// How a program ended.
    package enum Ending: Equatable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    private let identifier: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The path of the executable file.
    ///   - input: The text of its standard input; `nil` for none.
    ///   - sharesInput: Whether it reads from this program's standard input.
    ///   - isSilent: Whether its output and errors are discarded.
    /// - Throws: ``Failure`` if it can't be started.
    package init(
        path: String, arguments: [String], input: String? = nil, sharesInput: Bool = false,
        isSilent: Bool = false
    ) throws(Failure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A file instead of a pipe: the program may end without reading its input.
        let file = try input.map { text throws(Failure) in try Self.file(holding: text, for: path) }
        defer { if let file { fclose(file) } }
        if let file {
            posix_spawn_file_actions_adddup2(&actions, fileno(file), STDIN_FILENO)
        } else if !sharesInput {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        for stream in isSilent ? [STDOUT_FILENO, STDERR_FILENO] : [] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))

        let words = [path] + arguments
        guard !words.contains(where: { $0.utf8.contains(0) }) else {
            throw Failure(.inputOutput, path, "an argument contains a null character")
        }
        var pointers = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, path, &actions, &attributes, &pointers, environ)
        guard result == 0 else {
            throw Failure(
                .inputOutput, path, "it can't be started: \(String(cString: strerror(result)))")
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

    /// Asks the program to end.
    package func terminate() { kill(identifier, SIGTERM) }

    /// Returns a nameless file, to be read from its start.
    private static func file(
        holding text: String, for path: String
    ) throws(Failure) -> UnsafeMutablePointer<FILE> {
        guard let file = tmpfile() else {
            throw Failure(.inputOutput, path, "its input can't be prepared")
        }
        let bytes = Array(text.utf8)
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0,
            lseek(fileno(file), 0, SEEK_SET) == 0
        else {
            fclose(file)
            throw Failure(.inputOutput, path, "its input can't be prepared")
        }
        return file
    }
}
