import ArgumentParser
import CommandSupport
import DocumentStore
import Foundation
import Replication
import TidelineCore

/// `tideline docs check`.
struct CheckDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check every checksum and hash of an Automerge file or a store.",
        discussion: """
            Lists the chunks of a file, with the problem and its byte offset for each damaged one. \
            For a store, lists the damaged chunks and the missing changes. The exit code is 65 if \
            anything is damaged.

            Example: tideline docs check Notes.automerge
            """)

    @OptionGroup var document: DocumentArgument
    @OptionGroup var json: JSONFlag

    func run() async throws {
        if let store = try await OpenDocuments.reading(document.path) { return try check(store) }
        let file = try document.file()
        let check = file.check()
        if json.json {
            for chunk in check.chunks { Output.json(chunk.json) }
        } else {
            print(check)
        }
        for warning in check.warnings { Output.note("tideline: \(document.path): \(warning)") }
        if check.chunks.isEmpty { throw Failure(.badData, document.path, "the file is empty") }
        guard let first = check.chunks.first(where: { $0.problem != nil }) else { return }
        let count = check.damagedCount
        throw Failure(
            .badData, document.path,
            "\(Counted.grouped(count)) of \(Counted.text(check.chunks.count, "chunk")) damaged; "
                + "byte \(first.problemOffset ?? first.offset): \(first.problem ?? "")")
    }

    private func print(_ check: AutomergeFile.Check) {
        var table = Table("BYTE", "BYTES", "CHUNK", "CHANGES", "HASH", "FOUND")
        for chunk in check.chunks {
            var found = "sound"
            if let problem = chunk.problem {
                found = "byte \(chunk.problemOffset ?? chunk.offset): \(problem)"
            }
            table.add(
                String(chunk.offset), String(chunk.byteCount), chunk.type,
                String(chunk.changeCount), String((chunk.hash ?? "").prefix(8)), found)
        }
        table.print()
    }

    private func check(_ store: AutomergeStore) throws {
        var ids = store.documents().map(\.id)
        if let text = document.document { ids = [try OpenDocuments.identifier(text)] }
        var checked = (chunks: 0, damaged: 0, first: "")
        var table = Table("DOCUMENT", "CHUNK", "FOUND")
        func report(_ id: UUID, _ chunk: String?, _ problem: String) {
            checked.damaged += 1
            if checked.first.isEmpty { checked.first = problem }
            if json.json {
                Output.json([
                    "document": .string(store.text(of: id)), "chunk": .optional(chunk),
                    "problem": .string(problem),
                ])
            } else {
                table.add(store.text(of: id), chunk ?? "", problem)
            }
        }
        for id in ids {
            checked.chunks += store.chunks(of: id).count
            do {
                // The problems are known only while the document is open.
                guard let opened = try store.openDocument(id) else {
                    throw Failure(
                        .noAnswer, document.path, "no document \(store.text(of: id))")
                }
                let problems = withExtendedLifetime(opened) { store.problems(of: id) }
                guard let problems else { continue }
                for (chunk, problem) in problems.damagedChunks.sorted(by: { $0.key < $1.key }) {
                    report(id, chunk, problem)
                }
                if !problems.missing.isEmpty {
                    // Missing changes may still arrive.
                    for line in problems.lines.suffix(1) {
                        Output.note("tideline: \(store.text(of: id)): \(line)")
                    }
                }
            } catch let error as DocumentStoreError where error.code == .notArrived {
                Output.note("tideline: \(error.message)")
            } catch let error as DocumentStoreError {
                report(id, nil, error.message)
            }
        }
        if !json.json { table.print() }
        let unreadable = store.devices.filter { $0.state == .unreadable }
        guard checked.damaged > 0 || !unreadable.isEmpty else { return }
        throw Failure(
            .badData, document.path,
            checked.damaged > 0
                ? "\(Counted.grouped(checked.damaged)) of \(Counted.text(checked.chunks, "chunk")) damaged: \(checked.first)"
                : "\(unreadable[0].device): \(unreadable[0].problem ?? "unreadable")")
    }
}
