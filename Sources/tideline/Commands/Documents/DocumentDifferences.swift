import ArgumentParser
import CommandSupport
import TidelineCore

/// `tideline docs diff`.
struct DocumentDifferences: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "List what changed in a document between two points of its history.",
        discussion: """
            Example: tideline docs diff Notes.automerge --from 20dec3ad --to 4ddf507b,a325a429
            The steps apply in the order given: each index counts with those before it applied. \
            With --json each is an object: "pointer" and "action" (put, insert, splice, increment, \
            delete, mark, conflict) with what belongs to it.
            """)

    @OptionGroup var document: DocumentArgument
    @Option(help: "The heads before, separated by commas; by default the beginning.")
    var from = ""
    @Option(help: "The heads after; by default those of the present.") var to: String?
    @OptionGroup var json: JSONFlag

    func run() async throws {
        let view = try await document.open()
        try document.failing {
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
