import ArgumentParser
import CommandSupport
import Foundation
import Replication
import TidelineCore

struct GitCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "git",
        abstract: "Show and merge the files of stores in git repositories.",
        discussion: "Example: tideline git setup --write",
        subcommands: [GitSetup.self, Textconv.self, MergeDriver.self])

    struct Textconv: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "textconv",
            abstract: "Print a file of a store as text, for git diff.",
            usage: "tideline git textconv <file>",
            discussion: """
                Prints the rows of a device's log, the content of an .automerge file, or the tables \
                of any SQLite database. Other texts are printed as they are.

                Example: tideline git textconv Notes.store/Devices/desk/Logs.db
                """, helpNames: .long)
        @Argument(
            parsing: .captureForPassthrough,
            help: ArgumentHelp("The file.", valueName: "file"), completion: .file(),
            transform: PathWord.path)
        var words: [String] = []

        func run() async throws {
            let file = try GitArguments.paths(in: words, of: self, "file")[0]
            do {
                try await FileText(file).print()
            } catch let failure as Failure where failure.category == .badData {
                // Print a line instead of failing. If this command failed, git would not show the
                // other files.
                let hash = String(StableHash.of(try FileText.data(file)), radix: 16)
                Output.line("damaged, hash \(hash): \(Printable.line(failure.why))")
                Output.note(failure.lines[0])
            }
        }
    }

    struct MergeDriver: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge-driver",
            abstract: "Merge two versions of a file of a store, for git merge.",
            usage: "tideline git merge-driver <base> <ours> <theirs> <path>",
            discussion: """
                Writes the result to OURS. Automerge files are merged by their changes, and a \
                device's log gets the rows that only the other version has. Reports a conflict for \
                other databases, and if THEIRS only removes writes of BASE. OURS then stays as it \
                is, and the exit code is 1.

                Example: tideline git merge-driver base.db ours.db theirs.db Logs.db
                """, helpNames: .long)
        @Argument(
            parsing: .captureForPassthrough,
            help: ArgumentHelp(
                """
                BASE, the common ancestor (%O); OURS, the current version (%A); THEIRS, the other \
                version (%B); PATH, the path of the file in the repository (%P).
                """, valueName: "path"), completion: .file(), transform: PathWord.path)
        var words: [String] = []

        func run() throws {
            let paths = try GitArguments.paths(
                in: words, of: self, "base", "ours", "theirs", "path")
            let (base, ours, theirs, path) = (paths[0], paths[1], paths[2], paths[3])
            let shown = Printable.line(path)
            switch try Self.outcome(base, ours, theirs, path) {
            case .merged(let content, let description):
                do throws(ReplicationError) {
                    try WholeFile.write(content, to: ours)
                } catch {
                    throw Failure(error.category, path, error.reason)
                }
                Output.note("tideline: \(shown): \(description)")
            case .conflict(let reason):
                Output.note("tideline: \(shown): not merged: \(reason)")
                let command = ShellCommand.line("git", "checkout", "--theirs", "--", path)
                Output.note(
                    "  the current version is kept; to take the other: " + Printable.line(command))
                throw ExitCode.failure
            }
        }

        private static func outcome(
            _ base: String, _ ours: String, _ theirs: String, _ path: String
        ) throws -> FileMerge.Outcome {
            do {
                return try FileMerge(base: base, ours: ours, theirs: theirs, path: path).outcome()
            } catch {
                let failure = Failure(error, while: path)
                // The versions are temporary files, which the user doesn't know.
                guard [ours, theirs].contains(failure.what) else { throw failure }
                let version = failure.what == ours ? "current" : "other"
                throw Failure(
                    failure.category, path, "can't read the \(version) version: \(failure.why)")
            }
        }
    }
}

/// The arguments with which git calls a command.
private enum GitArguments {
    /// Returns the paths among the words of a command line. They can start with a dash, because git
    /// passes the names of files unchanged. So no word is an option, except a sole `--help`.
    ///
    /// - Parameter names: The names of the paths, for errors.
    static func paths(
        in words: [String], of command: some ParsableCommand, _ names: String...
    ) throws -> [String] {
        if words == ["--help"] { throw CleanExit.helpRequest(command) }
        let paths = words.first == "--" ? Array(words.dropFirst()) : words
        if paths.count < names.count {
            throw ValidationError("Missing expected argument '<\(names[paths.count])>'")
        }
        if paths.count > names.count {
            throw ValidationError("Unexpected argument '\(paths[names.count])'")
        }
        return paths
    }
}
