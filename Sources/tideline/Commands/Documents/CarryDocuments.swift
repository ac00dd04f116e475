import ArgumentParser
import CommandSupport
import DocumentStore
import Foundation
import Replication
import TidelineCore

/// `tideline docs compact`.
struct CompactDocuments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Merge the chunks of one or all documents into one snapshot per document.",
        discussion: """
            In a package, only this device's chunks are merged. The history is kept.

            Example: tideline docs compact Notes.store
            """)

    @Argument(help: "A package, or a storage folder of automerge-repo.", completion: .file())
    var path: String
    @Argument(
        help: ArgumentHelp("The document's identifier (default: all documents).", valueName: "doc"))
    var document: String?
    @OptionGroup var device: DeviceOption

    func run() async throws {
        try await OpenDocuments.writing(path, as: device) { store in
            guard let document else {
                for document in store.documentSummaries() where document.snapshotCount > 0 {
                    try store.compact(document.id)
                }
                return
            }
            try store.compact(OpenDocuments.identifier(document, in: store))
        }
    }
}

/// `tideline docs import`.
struct ImportDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import an .automerge file as a new workspace, and print its identifier.",
        discussion: "Example: tideline docs import Notes.store Plans.automerge")

    @Argument(help: "A package, or a storage folder of automerge-repo.", completion: .file())
    var path: String
    @Argument(help: "An .automerge file.", completion: .file()) var file: String
    @OptionGroup var device: DeviceOption

    func run() async throws {
        let content = try Failure.of(file) { try AutomergeFile.reading(file).view() }
        for problem in content.problems { Output.note("tideline: \(file): \(problem)") }
        let name = URL(filePath: file).deletingPathExtension().lastPathComponent
        let id = try await OpenDocuments.writing(path, as: device) { store in
            store.text(of: try content.add(to: store, named: store.hasWorkspaces ? name : ""))
        }
        Output.line(id)
    }
}

/// `tideline docs export`.
struct ExportDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a document with its history to an .automerge file.",
        discussion: """
            Replaces an existing .automerge file after the new one is complete.

            Example: tideline docs export Notes.store DOC Plans.automerge
            """)

    @Argument(help: "The store of documents.", completion: .file()) var path: String
    @Argument(help: ArgumentHelp("The document's identifier.", valueName: "doc"))
    var document: String
    @Argument(help: "The file to write.", completion: .file()) var file: String

    func run() async throws {
        guard let store = try await OpenDocuments.reading(path) else {
            throw Failure(.badData, path, "already an .automerge file")
        }
        let opened = try OpenDocuments.document(in: store, document, path)
        let bytes = DocumentView(opened).saved
        try Failure.of(file) { try AutomergeFile.write(bytes, to: file) }
    }
}
