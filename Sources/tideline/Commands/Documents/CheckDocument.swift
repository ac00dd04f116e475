import ArgumentParser
import Automerge
import CommandSupport
import DocumentStore
import Foundation
import Replication
import TidelineCore

struct CheckDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check every checksum and hash of an Automerge file or a store.",
        discussion: """
            Lists the chunks of a file. For each damaged chunk, prints the problem and its offset. \
            For a store, lists the damaged chunks and the missing changes. The exit code is 65 if \
            anything is damaged, and 1 if changes are missing.

            Example: tideline docs check Notes.automerge
            """)

    @OptionGroup var document: DocumentArgument
    @OptionGroup var json: JSONFlag

    func run() async throws {
        if let store = try await OpenDocuments.reading(document.path) { return try check(store) }
        let file = try document.file()
        let check = file.check()
        print(check)
        if let damage = check.damage { throw Failure(.badData, document.path, damage) }
        if let warning = check.warnings.first { throw Failure(.noSuchItem, document.path, warning) }
    }

    private func print(_ check: AutomergeFile.Check) {
        var table = Table("BYTE", "BYTES", "CHUNK", "CHANGES", "HASH", "FOUND", isJSON: json.json)
        for chunk in check.chunks {
            table.add(
                String(chunk.offset), String(chunk.byteCount), chunk.kind.rawValue,
                String(chunk.changeCount), String((chunk.hash?.debugDescription ?? "").prefix(8)),
                chunk.finding ?? "sound", json: chunk.json)
        }
        table.print()
    }

    private func check(_ store: AutomergeStore) throws {
        var ids = store.documentSummaries().map(\.id)
        if let text = document.document {
            ids = [try OpenDocuments.identifier(text, in: store)]
            if store.documentSummary(ids[0]) == nil {
                throw Failure.missing(
                    document.path, "no such document: \(store.text(of: ids[0]))",
                    among: store.devices)
            }
        }
        let findings = store.findings(in: ids)
        var table = Table("DOCUMENT", "CHUNK", "FOUND", isJSON: json.json)
        for finding in findings {
            let name = store.text(of: finding.document)
            table.add(
                name, finding.chunk ?? "", finding.problem,
                json: [
                    "document": .string(name), "chunk": .optional(finding.chunk),
                    "problem": .string(finding.problem),
                ])
        }
        table.print()
        let damaged = findings.filter { $0.kind == .damaged }
        if let first = damaged.first {
            let count = ids.reduce(0) { $0 + store.chunks(of: $1).count }
            throw Failure(
                .badData, document.path,
                "\(Counted.grouped(damaged.count)) of \(Counted.text(count, "chunk")) damaged: "
                    + first.problem)
        }
        if let device = store.devices.first(where: { $0.state == .unreadable }) {
            throw Failure(
                .badData, document.path,
                "\(device.device): \(device.problem ?? "unreadable")")
        }
        if let first = findings.first {
            throw Failure(.noSuchItem, document.path, first.line(in: store))
        }
    }
}
