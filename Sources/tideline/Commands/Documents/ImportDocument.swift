import ArgumentParser
import CommandSupport
import DocumentStore
import Foundation
import Replication
import TidelineCore

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
            let made = try store.newWorkspace(
                named: store.hasWorkspaces ? name : "", index: content.document)
            return store.text(of: made.id)
        }
        Output.line(id)
    }
}
