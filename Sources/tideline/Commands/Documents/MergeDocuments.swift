import ArgumentParser
import CommandSupport
import Replication
import TidelineCore

/// `tideline docs merge`.
struct MergeDocuments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge the changes of several files into one file.",
        discussion: """
            An existing .automerge file is replaced when the new one is complete. Other files are \
            not replaced.

            Example: tideline docs merge A.automerge B.automerge --output Both.automerge
            """)

    @Argument(help: "The files to merge.", completion: .file()) var files: [String]
    @Option(help: "The file to write.", completion: .file()) var output: String

    func run() throws {
        let read = try files.map { path in
            try Failure.of(path) { try AutomergeFile.reading(path) }
        }
        try AutomergeFile.requireReplaceable(output)
        try Failure.of(output) {
            try WholeFile.write(try AutomergeFile.merged(read), to: output)
        }
    }
}
