package import ArgumentParser
import Foundation
import Glibc
import Replication

/// How a program of commands begins, and how it ends: by an exit code and a sentence.
package enum CommandProgram {
    /// Has what goes wrong in writing told by the call that writes, lets what ends programs end this
    /// one, and keeps no memory that was freed.
    package static func prepare() {
        AllocatorMemory.returnLargeBuffers()
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow (ulimit -f) is a write that fails, and is told.
        signal(SIGXFSZ, SIG_IGN)
        // A thread that blocks signals hands that down to the programs that it starts.
        var endings = sigset_t()
        sigemptyset(&endings)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&endings, signal) }
        pthread_sigmask(SIG_UNBLOCK, &endings, nil)
    }

    /// Runs the command that the arguments name. Returns when all that it printed is written; what
    /// fails ends the program.
    package static func run(_ root: (some ParsableCommand).Type) async {
        do {
            var command = try root.parseAsRoot()
            do {
                if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    try command.run()
                }
                Output.flush()
            } catch let error where isOwn(error, root) {
                throw error
            } catch {
                end(Failure(error, while: type(of: command)._commandName))
            }
        } catch {
            end(error, root)
        }
    }

    /// Requests for help and the like, which the parser answers itself.
    private static func isOwn(_ error: any Error, _ root: any ParsableCommand.Type) -> Bool {
        error is CleanExit || error is ValidationError || error is ExitCode
            || root.exitCode(for: error) == .success
    }

    private static func end(_ failure: Failure) -> Never {
        Output.failure(failure)
        Glibc.exit(failure.kind.rawValue)
    }

    private static func end(_ error: any Error, _ root: any ParsableCommand.Type) -> Never {
        if root.exitCode(for: error) == .success {
            Output.line(root.fullMessage(for: error))
            Output.flush()
            Glibc.exit(EXIT_SUCCESS)
        }
        if let exit = error as? ExitCode { Glibc.exit(exit.rawValue) }
        end(
            Failure(
                .usage, "usage", root.message(for: error),
                wayOut: root.fullMessage(for: error).split(separator: "\n").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }.last { $0.hasPrefix("See '") }))
    }
}
