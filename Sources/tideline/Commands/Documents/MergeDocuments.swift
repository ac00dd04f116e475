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
            Replaces an existing .automerge file after the new one is complete.

            Example: tideline docs merge Laptop.automerge Phone.automerge --output Both.automerge
            """)

    @Argument(help: "The files to merge.", completion: .file()) var files: [String]
    @Option(help: "The file to write.", completion: .file()) var output: String

    func run() throws {
        let read = try files.map { path in
            try Failure.of(path) { try AutomergeFile.reading(path) }
        }
        try Failure.of(output) {
            try WholeFile.write(try AutomergeFile.merged(read), to: output)
        }
    }
}
