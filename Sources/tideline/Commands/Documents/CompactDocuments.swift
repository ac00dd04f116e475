import ArgumentParser
import CommandSupport
import DocumentStore
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
