import ArgumentParser
import CommandSupport
import DocumentStore
import Foundation
import TidelineCore

struct ListDocuments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the documents with their numbers of changes, chunks and bytes.",
        discussion: """
            Opens each document to count its changes.

            Example: tideline docs list Notes.store --json
            """)

    @OptionGroup var document: DocumentArgument
    @OptionGroup var json: JSONFlag

    private struct Line {
        var workspace: String?
        var name: String?
        var document: String?
        var isIndex = false
        var chunks: Int
        var snapshots: Int
        var bytes: Int
        var changes: Int?
        var heads: [String]?
    }

    func run() async throws {
        guard let store = try await OpenDocuments.reading(document.path) else {
            return try listFile()
        }
        var table = table
        store.forEachDocument { summary, opened in
            write(line(of: summary, opened, in: store), &table)
        }
        table.print()
    }

    private func line(
        of summary: DocumentSummary, _ document: Result<AutomergeStore.Document?, any Error>,
        in store: AutomergeStore
    ) -> Line {
        let workspace = store.workspaceSummary(summary.workspace)
        var line = Line(
            workspace: store.hasWorkspaces ? store.text(of: summary.workspace) : nil,
            name: store.hasWorkspaces ? workspace?.name : nil,
            document: store.text(of: summary.id),
            isIndex: store.hasWorkspaces && summary.isIndex, chunks: summary.chunkCount,
            snapshots: summary.snapshotCount, bytes: summary.byteCount)
        do {
            if let opened = try document.get() {
                let view = DocumentView(opened)
                (line.changes, line.heads) = (view.changeCount, view.heads.texts)
                // The problems are known only while the document is open.
                let problems = withExtendedLifetime(opened) { store.problems(of: summary.id) }
                Warnings.report(problems?.lines ?? [], line.document ?? "")
            }
        } catch {
            // The other documents are still listed.
            Output.note("tideline: \(Failure(error, while: line.document ?? "").why)")
        }
        return line
    }

    private func listFile() throws {
        let file = try document.file()
        let view = try OpenDocuments.view(of: file)
        let check = file.check()
        var table = table
        write(
            Line(
                name: URL(filePath: file.path).deletingPathExtension().lastPathComponent,
                chunks: check.chunks.count, snapshots: check.snapshotCount,
                bytes: file.bytes.count, changes: view.changeCount, heads: view.heads.texts),
            &table)
        table.print()
    }

    private var table: Table {
        Table(
            "DOCUMENT", "NAME", "CHUNKS", "SNAPSHOTS", "BYTES", "CHANGES", "HEADS",
            isJSON: json.json)
    }

    private func write(_ line: Line, _ table: inout Table) {
        let name = line.name ?? ""
        table.add(
            line.document ?? "", line.isIndex || line.workspace == nil ? name : "  \(name)",
            String(line.chunks), String(line.snapshots), String(line.bytes),
            line.changes.map(String.init) ?? "",
            (line.heads ?? []).map { String($0.prefix(8)) }.joined(separator: ","),
            json: [
                "workspace": .optional(line.workspace), "name": .optional(line.name),
                "document": .optional(line.document), "isIndex": .boolean(line.isIndex),
                "chunks": .count(line.chunks), "snapshots": .count(line.snapshots),
                "bytes": .count(line.bytes),
                "changes": .optional(line.changes.map { Int64($0) }),
                "heads": line.heads.map { .array($0.map(JSONValue.string)) } ?? .null,
            ])
    }
}
