import ArgumentParser
import CommandSupport
import Replication
import TidelineCore

struct ListDocumentConflicts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List the conflicts: keys and items with several concurrent values.",
        discussion: "Example: tideline docs conflicts Notes.automerge --json")

    @OptionGroup var document: DocumentArgument
    @OptionGroup var json: JSONFlag

    func run() async throws {
        let view = try await document.open()
        try Failure.of(document.path) {
            let unlisted = try view.forEachConflict { conflict in
                if json.json {
                    Output.json(conflict.json)
                } else {
                    Output.text(Printable.line(conflict.pointer))
                    Self.print(conflict)
                }
            }
            if let problem = DocumentView.unlisted(unlisted) {
                Output.note("tideline: \(document.path): \(problem)")
            }
        }
    }

    static func print(_ conflict: DocumentView.Conflict) {
        print("wins", conflict.winner)
        for side in conflict.others { print("also", side) }
    }

    private static func print(_ label: String, _ side: DocumentView.Conflict.Side) {
        let date = side.date.map { $0.iso8601 + "  " } ?? ""
        Output.text(
            Printable.line("  \(label)  \(side.author.name.prefix(32))  \(date)\(side.json)"))
    }
}
