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
        var read: [AutomergeFile] = []
        for path in files {
            do {
                read.append(try AutomergeFile.reading(path))
            } catch {
                throw Failure(error, while: path)
            }
        }
        do {
            try WholeFile.write(try AutomergeFile.merged(read), to: output)
        } catch {
            throw Failure(error, while: output)
        }
    }
}
