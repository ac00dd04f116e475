import ArgumentParser
import CommandSupport
import Replication
import TidelineCore

/// `tideline docs merge`.
struct MergeDocuments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Write one file that has the changes of several.",
        discussion: """
            Example: tideline docs merge Laptop.automerge Phone.automerge --output Both.automerge
            What stands at the output's place is replaced, once the new file is complete.
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
            try AutomergeFile.write(try AutomergeFile.merged(read), to: output)
        } catch {
            throw Failure(error, while: output)
        }
    }
}
