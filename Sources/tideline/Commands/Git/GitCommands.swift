import ArgumentParser
import CommandSupport
import Foundation
import Replication
import TidelineCore

/// `tideline git`: stores in git repositories.
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
            discussion: """
                Prints the rows of a device's log, the content of an .automerge file, or the tables \
                of any SQLite database. Other texts are printed as they are.

                Example: tideline git textconv Notes.store/Devices/desk/Logs.db
                """)
        @Argument(help: "The file.", completion: .file()) var file: String

        func run() async throws {
            do {
                try await FileText(file).print()
            } catch let failure as Failure where failure.kind == .badData {
                // If this command failed, git would not show the other files.
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
            discussion: """
                Writes the result to OURS. Automerge files are merged by their changes, and a \
                device's log gets the rows that only the other version has. For other databases, \
                reports a conflict: OURS stays as it is, and the exit code is 1.

                Example: git config merge.tideline.driver "tideline git merge-driver %O %A %B %P"
                """)
        @Argument(help: "The common ancestor (%O).", completion: .file()) var base: String
        @Argument(help: "The current version (%A).", completion: .file()) var ours: String
        @Argument(help: "The other version (%B).", completion: .file()) var theirs: String
        @Argument(help: "The path of the file in the repository (%P).") var path: String

        func run() throws {
            let outcome = try Failure.of(path) {
                try FileMerge(ours: ours, theirs: theirs, path: path).outcome()
            }
            let shown = Printable.line(path)
            switch outcome {
            case .merged(let content, let description):
                do {
                    try content.write(to: URL(filePath: ours))
                } catch {
                    throw Failure(.inputOutput, path, error.localizedDescription)
                }
                Output.note("tideline: \(shown): \(description)")
            case .conflict(let reason):
                Output.note("tideline: \(shown): not merged: \(reason)")
                Output.note(
                    "  the current version is kept; to take the other: git checkout --theirs -- "
                        + shown)
                throw ExitCode(FailureKind.noAnswer.rawValue)
            }
        }
    }
}
