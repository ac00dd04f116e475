import ArgumentParser
import CBuildInformation
import Foundation
import Replication
import Glibc

/// The program: `tideline PATH` opens the browser, everything else is a subcommand.
@main
struct Tideline: AsyncParsableCommand {
    /// With the commit, where the program was built by `Packaging/install`.
    static let version: String = {
        let commit = String(cString: tideline_commit())
        return commit.isEmpty ? "0.1.0" : "0.1.0 (\(commit))"
    }()

    static let configuration = CommandConfiguration(
        commandName: "tideline",
        abstract: "Browse, edit and watch local-first stores.",
        discussion: """
            Example: tideline Notes.store
            Without a path the store that was open last is opened again.
            """,
        version: version,
        subcommands: [Browse.self, DemoLifeCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "ANY STORE",
                subcommands: [Info.self, DoctorCommand.self, Watch.self, Demo.self]),
            CommandGroup(
                name: "KEY-VALUE",
                subcommands: [
                    KeyValueCommands.self, Log.self, Conflicts.self, Resolve.self, Merge.self,
                    Blobs.self,
                ]),
            CommandGroup(name: "ENTITIES", subcommands: [EntityCommands.self]),
            CommandGroup(name: "SERVERS", subcommands: [ServersCommands.self]),
            CommandGroup(name: "DOCUMENTS", subcommands: [DocumentCommands.self]),
            CommandGroup(name: "TABLES", subcommands: [TablesCommands.self]),
        ],
        defaultSubcommand: Browse.self)

    static func main() {
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow (ulimit -f) is a write that fails, and is told.
        signal(SIGXFSZ, SIG_IGN)
        unblockEndings()
        Task.detached {
            await runToEnd()
            Glibc.exit(EXIT_SUCCESS)
        }
        MainThread.serve()
    }

    /// A thread that blocks signals hands that down to the programs that it starts. What ends a
    /// program ends this one all the same.
    private static func unblockEndings() {
        var endings = sigset_t()
        sigemptyset(&endings)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&endings, signal) }
        pthread_sigmask(SIG_UNBLOCK, &endings, nil)
    }

    private static func runToEnd() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try parseAsRoot(arguments)
            do {
                if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    try command.run()
                }
                Output.flush()
            } catch let error where isOwn(error) {
                throw error
            } catch {
                let name = type(of: command)._commandName
                end(Failure(error, while: name))
            }
        } catch {
            end(error)
        }
    }

    /// Requests for help and the like, which the parser answers itself.
    private static func isOwn(_ error: any Error) -> Bool {
        error is CleanExit || error is ValidationError || error is ExitCode
            || exitCode(for: error) == .success
    }

    private static func end(_ failure: Failure) -> Never {
        Output.failure(failure)
        Glibc.exit(failure.kind.rawValue)
    }

    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        if code == .success {
            Output.bytes(fullMessage(for: error).utf8)
            Output.line("")
            Output.flush()
            Glibc.exit(EXIT_SUCCESS)
        }
        if let exit = error as? ExitCode { Glibc.exit(exit.rawValue) }
        end(
            Failure(
                .usage, "usage", message(for: error),
                wayOut: fullMessage(for: error).split(separator: "\n").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }.last { $0.hasPrefix("See '") }))
    }
}
