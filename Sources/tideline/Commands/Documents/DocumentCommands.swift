import ArgumentParser
import Replication
import TidelineCore

/// `tideline docs`: Automerge documents.
struct DocumentCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docs",
        abstract: "Read Automerge documents: content, history, conflicts, differences.",
        discussion: """
            Example: tideline docs show Notes.automerge --json
            PATH is one .automerge file, which is read and never written.
            """,
        subcommands: [
            ListDocuments.self, ShowDocument.self, DocumentHistory.self, DocumentConflicts.self,
            DocumentDifferences.self, CheckDocument.self, MergeDocuments.self,
        ])
}

/// The file that holds the document, and the document.
struct DocumentArgument: ParsableArguments {
    @Argument(help: "One .automerge file.", completion: .file()) var path: String

    func open() throws -> DocumentView { try view(of: file()) }

    /// The document of a file. Warns of changes in it that cannot be shown.
    func view(of file: AutomergeFile) throws -> DocumentView {
        try failing {
            let view = try file.view()
            for problem in view.problems { Output.note("tideline: \(path): \(problem)") }
            return view
        }
    }

    func file() throws -> AutomergeFile { try failing { try AutomergeFile.reading(path) } }

    /// Names the file in what `body` throws.
    func failing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as CoreError {
            throw Failure(error, while: path)
        }
    }
}

extension AutomergeFile {
    /// Reads a file that must be an Automerge file: other stores are said to be what they are.
    static func reading(_ path: String) throws(CoreError) -> AutomergeFile {
        do {
            return try AutomergeFile(path)
        } catch {
            guard error.code == .badData, case .package? = try? StoreKind(of: path) else {
                throw error
            }
            throw CoreError(
                .badData, "a package, not an .automerge file",
                wayOut: "What it is: tideline info \(path)")
        }
    }
}
