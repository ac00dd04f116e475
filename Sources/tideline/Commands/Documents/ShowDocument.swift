import ArgumentParser
import CommandSupport
import TidelineCore

struct ShowDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the content of a document, now or at any point of its history.",
        discussion: """
            Texts are printed as strings, counters and timestamps (milliseconds since 1970) as \
            integers, and bytes as arrays of numbers.

            Example: tideline docs show Notes.automerge --at 4ddf507b,a325a429 --json
            """)

    @OptionGroup var document: DocumentArgument
    @Option(
        help: ArgumentHelp(
            "The heads of the point to show, separated by commas, at least 4 digits each.",
            valueName: "heads"))
    var at: String?
    @OptionGroup var json: JSONFlag

    func validate() throws {
        // Reject an empty text. With an unset variable in a script, the command would otherwise
        // show an empty document.
        guard at?.isEmpty != true else { throw ValidationError("specify heads with --at") }
    }

    func run() async throws {
        let view = try await document.open()
        try Failure.of(document.path) {
            var heads: DocumentView.Heads?
            if let at { heads = try view.heads(at) }
            let content = try view.json(at: heads, indented: !json.json)
            if json.json { Output.line(content) } else { Output.text(content) }
        }
    }
}
