import ArgumentParser
import CommandSupport
import DocumentStore
import Foundation
import TidelineCore

struct NewWorkspace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Create a workspace with its index document, and print its identifier.",
        discussion: """
            In a storage folder of automerge-repo, creates a document without a name.

            Example: tideline docs new Notes.store Plans
            """)

    @OptionGroup var store: DocumentStorePath
    @Argument(help: "The name of the workspace.") var name: String
    @OptionGroup var device: DeviceOption

    func run() async throws {
        var id = ""
        try await EditRunner.model(
            DocumentStorePart.self, of: store.path, as: device, pane: .documents
        ) { documents, store in
            Warnings.report(store.unexpectedItems, self.store.path)
            return try await Failure.of(self.store.path) { () async throws -> AppliedEdit? in
                guard let list = documents.panes.first?.source else { return nil }
                let edit = Edit.add(name: name, parent: nil, TypedText(.map, "{}"))
                let applied = try await list.apply(try await list.preview(edit))
                id = applied.rows.first?.name ?? ""
                return applied
            }
        }
        Output.line(id)
    }
}

struct AddDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Create a document in a workspace, and print its identifier.",
        discussion: "Example: tideline docs add Notes.store 6F9619FF-8B86-D011-B42D-00CF4FC964FF")

    @Argument(help: "The package.", completion: .file(), transform: PathWord.path) var path: String
    @Argument(help: "The workspace: its identifier, the start of its identifier, or its name.")
    var workspace: String
    @OptionGroup var device: DeviceOption

    func run() async throws {
        let id = try await OpenDocuments.writing(path, as: device) { store in
            let workspace = try OpenDocuments.identifier(workspace, of: "workspace", in: store)
            return store.text(of: try store.newDocument(in: workspace).id)
        }
        Output.line(id)
    }
}

struct DeleteWorkspace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a workspace with all its documents, on every device.",
        discussion: """
            This can't be undone. In a storage folder of automerge-repo, deletes a document, and \
            other peers are not notified.

            Example: tideline docs delete Notes.store 6F9619FF-8B86-D011-B42D-00CF4FC964FF
            """)

    @OptionGroup var store: DocumentStorePath
    @Argument(help: "The workspace: its identifier, the start of its identifier, or its name.")
    var workspace: String
    @OptionGroup var device: DeviceOption

    func run() async throws {
        try await OpenDocuments.writing(store.path, as: device) { store in
            let id = try OpenDocuments.identifier(workspace, of: "workspace", in: store)
            try store.deleteWorkspace(id)
        }
    }
}
