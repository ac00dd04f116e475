import ArgumentParser
import CommandSupport
import TidelineCore

struct DocumentDifferences: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "List the changes of a document between two points of its history.",
        discussion: """
            The steps apply in the printed order: an index refers to the list after all earlier \
            steps. With --json, each step is an object with "pointer", "action" (put, insert, \
            splice, increment, delete, mark, conflict) and the operands of the action.

            Example: tideline docs diff Notes.automerge --from 20dec3ad --to 4ddf507b
            """)

    @OptionGroup var document: DocumentArgument
    @Option(
        help: ArgumentHelp(
            "The heads of the earlier point, separated by commas (default: the start).",
            valueName: "heads"))
    var from = ""
    @Option(
        help: ArgumentHelp(
            "The heads of the later point, separated by commas (default: the current heads).",
            valueName: "heads"))
    var to: String?
    @OptionGroup var json: JSONFlag

    func validate() throws {
        guard to?.isEmpty != true else { throw ValidationError("specify heads with --to") }
    }

    func run() async throws {
        let view = try await document.open()
        try Failure.of(document.path) {
            let before = try view.heads(from)
            var after = view.heads
            if let to { after = try view.heads(to) }
            let differences = view.differences(from: before, to: after)
            for step in differences.steps {
                if json.json {
                    Output.json(step.json)
                } else {
                    Output.text(Printable.line(step.line))
                }
            }
            if let problem = differences.problem {
                Output.note("tideline: \(document.path): \(problem)")
            }
        }
    }
}
