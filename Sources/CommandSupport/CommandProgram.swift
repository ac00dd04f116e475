package import ArgumentParser
import Foundation
import Glibc
import Replication

/// How a program of commands begins, and how it ends: by an exit code and a sentence.
package enum CommandProgram {
    /// Has what goes wrong in writing told by the call that writes, lets what ends programs end this
    /// one, and keeps no memory that was freed.
    package static func prepare() {
        StandardStreams.occupy()
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
            } catch {
                widenHelp()
                if isOwn(error, root) { throw error }
                end(Failure(error, while: type(of: command)._commandName))
            }
        } catch {
            widenHelp()
            end(error, root)
        }
    }

    /// Requests for help and the like, which the parser answers itself.
    private static func isOwn(_ error: any Error, _ root: any ParsableCommand.Type) -> Bool {
        error is CleanExit || error is ValidationError || error is ExitCode
            || root.exitCode(for: error) == .success
    }

    /// Has the parser fold its help to lines that hold it: in narrower ones it stops the program.
    /// Nothing else goes by this variable once a command has failed.
    private static func widenHelp() {
        var window = winsize()
        let hasWindow = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0
        let wanted =
            ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
            ?? (hasWindow ? Int(window.ws_col) : narrowest)
        if wanted < narrowest { setenv("COLUMNS", String(narrowest), 1) }
    }

    /// How many columns help takes at least.
    private static let narrowest = 40

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
        let problem = root.message(for: error)
        if problem.contains("nexpected argument"), let failure = noCommand(of: root) {
            end(failure)
        }
        end(
            Failure(
                .usage, "usage", problem,
                wayOut: hasDashedWord(problem)
                    ? "A word that begins with a dash and is no option follows on --."
                    : advice(in: root.fullMessage(for: error))))
    }

    /// What is wrong with a first word that is no command and, as nothing is there, no path of the
    /// command that needs no name.
    private static func noCommand(of root: any ParsableCommand.Type) -> Failure? {
        let commands = root.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        let names = commands.map { $0._commandName }
        guard root.configuration.defaultSubcommand != nil,
            let word = CommandLine.arguments.dropFirst().first, !word.hasPrefix("-"),
            !names.contains(word), !FileManager.default.fileExists(atPath: word)
        else { return nil }
        let common = names.map { $0.commonPrefix(with: word).count }
        let most = common.max() ?? 0
        let similar = most < 3 ? [] : names.indices.filter { common[$0] == most }.map { names[$0] }
        let wayOut =
            similar.isEmpty
            ? "Commands are \(names.joined(separator: ", "))."
            : "Did you mean \(similar.joined(separator: " or "))?"
        return Failure(
            .usage, word, "no command is called so, and no store is there", wayOut: wayOut)
    }

    /// Whether the parser lacks an argument, or knows no such option, where a word such as `-5` was
    /// perhaps meant as an argument.
    private static func hasDashedWord(_ problem: String) -> Bool {
        let words = CommandLine.arguments.dropFirst()
        return !words.contains("--")
            && ["Missing expected argument", "Unknown option"].contains(where: problem.hasPrefix)
            && words.contains { $0.count > 1 && $0.hasPrefix("-") && !$0.hasPrefix("--") }
    }

    /// What the parser says of the option in question, else where to read on.
    private static func advice(in message: String) -> String? {
        let lines = message.split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let help = lines.drop { !$0.hasPrefix("Help:") }.prefix { !$0.hasPrefix("Usage:") }
            .joined(separator: " ").dropFirst("Help:".count).trimmingCharacters(in: .whitespaces)
        // An argument without an explanation is only named.
        return help.contains("  ") ? help : lines.last { $0.hasPrefix("See '") }
    }
}
