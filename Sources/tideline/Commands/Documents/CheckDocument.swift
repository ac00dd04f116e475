import ArgumentParser
import Replication
import TidelineCore

/// `tideline docs check`.
struct CheckDocument: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Verify every checksum and hash of an Automerge file.",
        discussion: """
            Example: tideline docs check Notes.automerge
            Lists the file's chunks, each with what is wrong with it and at which byte. The exit \
            code is 65 if anything is damaged.
            """)

    @OptionGroup var document: DocumentArgument
    @OptionGroup var json: JSONFlag

    func run() throws {
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
            "\(count) of \(check.chunks.count) chunks \(count == 1 ? "is" : "are") damaged; "
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
}
