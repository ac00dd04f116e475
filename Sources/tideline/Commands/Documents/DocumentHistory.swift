import ArgumentParser
import CommandSupport
import Foundation
import TidelineCore

struct DocumentHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the changes of a document, each after the changes that it depends on.",
        discussion: "Example: tideline docs history Notes.automerge --json")

    @OptionGroup var document: DocumentArgument
    @OptionGroup var json: JSONFlag

    func run() async throws {
        let view = try await document.open()
        if json.json {
            view.forEachChange { Output.json($0.json) }
            return
        }
        // Don't print a table, because its column widths would be known only after the last change.
        Output.line(
            Self.line("CHANGE", "ACTOR", "SEQ", "OPS", "TIME", "DEPENDS ON", "MESSAGE"))
        view.forEachChange { change in
            Output.text(
                Printable.line(
                    Self.line(
                        String(change.hash.prefix(8)), String(change.actor.prefix(8)),
                        String(change.sequence), String(change.operationCount),
                        Self.time(change),
                        change.dependencies.map { String($0.prefix(8)) }.joined(separator: ","),
                        change.message ?? "")))
        }
    }

    private static func line(
        _ change: String, _ actor: String, _ sequence: String, _ operations: String,
        _ time: String, _ dependencies: String, _ message: String
    ) -> String {
        func left(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        func right(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        let columns = [
            left(change, 8), left(actor, 8), right(sequence, 6), right(operations, 6),
            left(time, 20), left(dependencies, message.isEmpty ? 0 : 17), message,
        ]
        return columns.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
    }

    /// Returns the time of a change for display; empty for the time 0, which most programs record.
    private static func time(_ change: DocumentView.Change) -> String {
        if let date = change.date { return date.ISO8601Format() }
        return change.time == 0 ? "" : String(change.time)
    }
}
