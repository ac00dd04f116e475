import ArgumentParser
import CommandSupport
import DocumentStore
import Foundation
import Replication
import TidelineCore

struct ListChunks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chunks",
        abstract: "List the chunks in which documents are stored.",
        discussion: """
            With --json, each chunk is an object with "chunk", "document", "workspace", "device", \
            "snapshot", "bytes" and "date". For an .automerge file, prints the output of docs check.

            Example: tideline docs chunks Notes.store --json
            """)

    @OptionGroup var document: DocumentArgument
    @OptionGroup var json: JSONFlag

    func run() async throws {
        guard let store = try await OpenDocuments.reading(document.path) else {
            var check = CheckDocument()
            (check.document, check.json) = (document, json)
            return try await check.run()
        }
        var ids = store.documentSummaries().map(\.id)
        if let text = document.document {
            let id = try OpenDocuments.identifier(text, in: store)
            guard ids.contains(id) else {
                throw Failure.missing(
                    document.path, "no such document: \(text)", among: store.devices)
            }
            ids = [id]
        }
        var table = Table(
            "DOCUMENT", "DEVICE", "KIND", "BYTES", "WRITTEN", "CHUNK", isJSON: json.json)
        for id in ids {
            for chunk in store.chunks(of: id) {
                table.add(
                    store.text(of: id), chunk.device?.name ?? "",
                    chunk.isSnapshot ? "snapshot" : "delta", String(chunk.byteCount),
                    chunk.timestamp?.iso8601 ?? "", chunk.id,
                    json: [
                        "chunk": .string(chunk.id), "document": .string(store.text(of: id)),
                        "workspace": store.hasWorkspaces
                            ? .string(store.text(of: chunk.workspace)) : .null,
                        "device": .optional(chunk.device?.name),
                        "snapshot": .boolean(chunk.isSnapshot), "bytes": .count(chunk.byteCount),
                        "date": .optional(chunk.timestamp?.iso8601),
                    ])
            }
        }
        table.print()
    }
}

struct CompactDocuments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Merge the chunks of one or all documents into one snapshot per document.",
        discussion: """
            In a package, only this device's chunks are merged. The history is kept.

            Example: tideline docs compact Notes.store
            """)

    @OptionGroup var store: DocumentStorePath
    @Argument(
        help: ArgumentHelp(
            "The document: its identifier, the start of its identifier, or the name of its "
                + "workspace (default: all documents).", valueName: "doc"))
    var document: String?
    @OptionGroup var device: DeviceOption

    func run() async throws {
        try await OpenDocuments.writing(store.path, as: device) { store in
            guard let document else {
                for document in store.documentSummaries() {
                    do {
                        try store.compact(document.id)
                    } catch let error as DocumentStoreError where error.code == .notArrived {
                        continue
                    }
                }
                return
            }
            try store.compact(OpenDocuments.identifier(document, in: store))
        }
    }
}
