import ArgumentParser
import Foundation
import TidelineCore

/// `tideline docs list`.
struct ListDocuments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the documents: how many changes, chunks and bytes each has.",
        discussion: "Example: tideline docs list Notes.automerge --json")

    @OptionGroup var document: DocumentArgument
    @OptionGroup var json: JSONFlag

    func run() throws {
        let file = try document.file()
        let view = try document.view(of: file)
        let check = file.check()
        let name = URL(filePath: file.path).deletingPathExtension().lastPathComponent
        let heads = view.heads.texts
        if json.json {
            Output.json([
                "workspace": nil, "name": .string(name), "document": nil, "isIndex": false,
                "chunks": .count(check.chunks.count), "snapshots": .count(check.snapshotCount),
                "bytes": .count(file.bytes.count), "changes": .count(view.changeCount),
                "heads": .array(heads.map(JSONValue.string)),
            ])
        } else {
            var table = Table("NAME", "CHUNKS", "SNAPSHOTS", "BYTES", "CHANGES", "HEADS")
            table.add(
                name, String(check.chunks.count), String(check.snapshotCount),
                String(file.bytes.count), String(view.changeCount),
                heads.map { String($0.prefix(8)) }.joined(separator: ","))
            table.print()
        }
    }
}
