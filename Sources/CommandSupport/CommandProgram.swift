package import ArgumentParser
import Foundation
import Glibc
import Replication

/// The start and the end of a command-line program, with exit codes and error messages.
package enum CommandProgram {
    /// Prepares the process: makes failed writes return errors instead of sending signals, unblocks
    /// the signals that should end the program, and returns large freed buffers to the system.
    /// Exits if the process can't start a thread or open files.
    package static func prepare() {
        StandardStreams.occupy()
        AllocatorMemory.returnLargeBuffers()
        signal(SIGPIPE, SIG_IGN)
        // With a limit on file sizes (`ulimit -f`), a write then fails instead of ending the
        // process.
        signal(SIGXFSZ, SIG_IGN)
        // The program may have inherited a signal mask that blocks these signals, and would pass it
        // on to child processes.
        var endings = sigset_t()
        sigemptyset(&endings)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&endings, signal) }
        pthread_sigmask(SIG_UNBLOCK, &endings, nil)
        if let problem = ProcessLimits.problem { end(problem) }
    }

    /// Runs the command that the arguments name. Returns when all output is written. On failure,
    /// exits.
    package static func run(_ root: (some ParsableCommand).Type) async {
        if let failure = invalidText() ?? noHelp(of: root) { end(failure) }
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
                let failure = Failure(error, while: type(of: command)._commandName)
                if failure.category == .noSuchFile, let failure = noCommandOrStore(of: root) {
                    end(failure)
                }
                end(failure)
            }
        } catch {
            widenHelp()
            end(error, root)
        }
    }

    /// Returns the error for an argument that isn't UTF-8. Swift replaces invalid bytes, so the
    /// command would use a key or file that the caller didn't name.
    private static func invalidText() -> Failure? {
        for number in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[number],
                let failure = invalidText(bytes, "argument \(number)")
            else { continue }
            return failure
        }
        return getenv("TIDELINE_DEVICE").flatMap { invalidText($0, "$TIDELINE_DEVICE") }
    }

    private static func invalidText(_ bytes: UnsafePointer<CChar>, _ what: String) -> Failure? {
        guard String(validatingCString: bytes) == nil else { return nil }
        return Failure(
            .invalidRequest, what, "\(String(cString: bytes).quoted) is not valid UTF-8",
            suggestion: "convert the text to UTF-8, or rename the file")
    }

    /// Returns whether the parser handles the error itself, for example a request for help.
    private static func isOwn(_ error: any Error, _ root: any ParsableCommand.Type) -> Bool {
        error is CleanExit || error is ValidationError || error is ExitCode
            || root.exitCode(for: error) == .success
    }

    /// Sets the width at which the parser wraps help to at least ``narrowest``, because narrower
    /// widths crash the parser. Changing the environment is safe here: after a failed command, no
    /// other code reads it.
    private static func widenHelp() {
        if helpColumns == narrowest { setenv("COLUMNS", String(narrowest), 1) }
    }

    /// The width of help in columns: `$COLUMNS`, the width of the terminal, or 80, but at least
    /// ``narrowest``.
    private static var helpColumns: Int {
        var window = winsize()
        let hasWindow = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0
        let wanted =
            ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
            ?? (hasWindow ? Int(window.ws_col) : 80)
        return max(wanted, narrowest)
    }

    /// The minimum width of help in columns.
    private static let narrowest = 40

    private static func end(_ failure: Failure) -> Never {
        Output.failure(failure)
        Glibc.exit(failure.category.exitCode)
    }

    private static func end(help: String) -> Never {
        Output.line(HelpText.wrappingUsage(in: help, columns: helpColumns))
        Output.flush()
        Glibc.exit(EXIT_SUCCESS)
    }

    private static func end(_ error: any Error, _ root: any ParsableCommand.Type) -> Never {
        if root.exitCode(for: error) == .success { end(help: root.fullMessage(for: error)) }
        if let exit = error as? ExitCode { Glibc.exit(exit.rawValue) }
        let problem = root.message(for: error)
        if problem.hasPrefix("Missing expected argument"),
            let command = commandOfShortHelp(of: root)
        {
            end(help: root.helpMessage(for: command, includeHidden: false, columns: helpColumns))
        }
        if problem.contains("nexpected argument"),
            let failure = noCommand(of: root) ?? noSubcommand(of: root)
        {
            end(failure)
        }
        end(
            Failure(
                .invalidRequest, "usage", problem,
                suggestion: hasDashedWord(problem)
                    ? "put -- before a value that starts with a dash"
                    : advice(in: root.fullMessage(for: error))))
    }

    /// Returns the command that the arguments name, if the only word after it is `-h`.
    ///
    /// Commands that accept any text as their last argument lack the option `-h`. A single `-h`
    /// still requests their help.
    private static func commandOfShortHelp(
        of root: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        let words = CommandLine.arguments.dropFirst()
        guard words.last == "-h" else { return nil }
        var command = root
        for word in words.dropLast() {
            guard
                let next = command.configuration.subcommands.first(where: {
                    $0._commandName == word
                })
            else { return nil }
            command = next
        }
        return command
    }

    /// Returns the error for a request for help about a command that doesn't exist. The parser
    /// would print the help of the command above it.
    private static func noHelp(of root: any ParsableCommand.Type) -> Failure? {
        var words = CommandLine.arguments.dropFirst()
        let isHelpCommand = words.first == "help"
        guard isHelpCommand || words.contains("--help") || words.contains("-h") else { return nil }
        if isHelpCommand { words = words.dropFirst() }
        // The parser itself adds the command `help`.
        if isHelpCommand, words.first == "help" { return nil }
        guard let (word, command) = unknownWord(in: words, of: root) else { return nil }
        if !isHelpCommand, command.configuration.defaultSubcommand != nil {
            return noCommand(of: command)
        }
        return noCommand(word, in: command, "no such command")
    }

    /// Returns the error for a first word that is neither a command nor an existing path, for
    /// programs with a default command.
    private static func noCommand(of root: any ParsableCommand.Type) -> Failure? {
        guard root.configuration.defaultSubcommand != nil,
            let word = CommandLine.arguments.dropFirst().first, !word.hasPrefix("-"),
            !root.configuration.subcommands.contains(where: { $0._commandName == word }),
            !FileManager.default.fileExists(atPath: word)
        else { return nil }
        return noCommand(word, in: root, "neither a command nor a store")
    }

    /// Returns the error for a word that should name a subcommand but doesn't.
    private static func noSubcommand(of root: any ParsableCommand.Type) -> Failure? {
        guard let (word, command) = unknownWord(in: CommandLine.arguments.dropFirst(), of: root),
            command.configuration.defaultSubcommand == nil
        else { return nil }
        return noCommand(word, in: command, "no such command")
    }

    /// Returns the first word that should name a subcommand but doesn't, and the command before it;
    /// `nil` if an option comes first.
    private static func unknownWord(
        in words: ArraySlice<String>, of root: any ParsableCommand.Type
    ) -> (word: String, command: any ParsableCommand.Type)? {
        var command = root
        for word in words {
            let commands = command.configuration.subcommands
            // The words after a command without subcommands are its arguments.
            guard !word.hasPrefix("-"), !commands.isEmpty else { return nil }
            guard let next = commands.first(where: { $0._commandName == word }) else {
                return (word, command)
            }
            command = next
        }
        return nil
    }

    /// Returns the error for a missing store whose name looks like a command.
    private static func noCommandOrStore(of root: any ParsableCommand.Type) -> Failure? {
        guard let word = CommandLine.arguments.dropFirst().first,
            !word.contains("/"), !word.contains("."), let unknown = noCommand(of: root)
        else { return nil }
        return Failure(.noSuchFile, unknown.what, unknown.why, suggestion: unknown.suggestion)
    }

    /// Returns the error for a word that isn't a command, with similar commands.
    private static func noCommand(
        _ word: String, in command: any ParsableCommand.Type, _ reason: String
    ) -> Failure {
        if word == "help" {
            return Failure(
                .invalidRequest, word, reason, suggestion: "for help, put --help after a command")
        }
        let names = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .map { $0._commandName }
        let common = names.map { $0.commonPrefix(with: word).count }
        let most = common.max() ?? 0
        let synonym = synonyms[word].flatMap { names.contains($0) ? $0 : nil }
        let similar =
            synonym.map { [$0] }
            ?? (most < 3 ? [] : names.indices.filter { common[$0] == most }.map { names[$0] })
        let suggestion =
            similar.isEmpty
            ? "commands: \(names.joined(separator: ", "))"
            : "did you mean \(similar.joined(separator: " or "))?"
        return Failure(.invalidRequest, word, reason, suggestion: suggestion)
    }

    /// Commands by the names that other programs have for them.
    private static let synonyms = [
        "check": "doctor", "compare": "diff", "follow": "watch", "open": "browse",
    ]

    /// Returns whether an argument is missing or an option is unknown. The reason may be that a
    /// word such as `-5` was meant as an argument.
    private static func hasDashedWord(_ problem: String) -> Bool {
        let words = CommandLine.arguments.dropFirst()
        return !words.contains("--")
            && ["Missing expected argument", "Unknown option"].contains(where: problem.hasPrefix)
            && words.contains { $0.count > 1 && $0.hasPrefix("-") && !$0.hasPrefix("--") }
    }

    /// Returns the part of the parser's error message that explains the incorrect option or
    /// argument, or else the line that names the help command.
    private static func advice(in message: String) -> String? {
        let lines = message.split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let help = lines.drop { !$0.hasPrefix("Help:") }.prefix { !$0.hasPrefix("Usage:") }
            .joined(separator: " ").dropFirst("Help:".count).trimmingCharacters(in: .whitespaces)
        // If an argument has no help, the parser prints only its name.
        return help.contains("  ") ? help : lines.last { $0.hasPrefix("See '") }
    }
}
