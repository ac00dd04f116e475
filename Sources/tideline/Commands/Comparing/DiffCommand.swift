import ArgumentParser
import CommandSupport
import Replication
import TidelineCore

struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "List the differences between two stores, or between two states of a store.",
        discussion: """
            Compares two packages (for example a store and its backup), two databases, two folders \
            of documents, or two .automerge files. Lists the keys, properties of entities, values \
            in documents, servers, blobs and rows of tables that differ. With one path, compares \
            the store at two times. The default time is now. Servers, blobs and tables have no \
            earlier states.

            A difference is "added" (only B has the item), "removed" (only A has it), "changed", \
            or "notArrived": A has a newer row that has not arrived in B. (In B, the log of the \
            device that wrote the row ends before the row.) The exit code is 1 if there are \
            differences, otherwise 0.

            Example: tideline diff Notes.store Backup.store --prefix note/
            """)
    @Argument(
        help: ArgumentHelp("The first store.", valueName: "a"), completion: .file(),
        transform: PathWord.path)
    var path: String
    @Argument(
        help: ArgumentHelp("The second store (default: the first).", valueName: "b"),
        completion: .file(), transform: PathWord.path)
    var other: String?
    @Option(
        parsing: .unconditional, help: TimeArgument.help("Compare A as of a time"),
        transform: TimeArgument.parse)
    var from: TimeArgument?
    @Option(
        parsing: .unconditional, help: TimeArgument.help("Compare B as of a time"),
        transform: TimeArgument.parse)
    var to: TimeArgument?
    @Option(parsing: .unconditional, help: "Only names with this prefix (case-sensitive).")
    var prefix = ""
    @Flag(help: "Print the number of differences of each kind and table.") var stat = false
    @OptionGroup var json: JSONFlag

    func validate() throws {
        guard other != nil || from != nil || to != nil else {
            throw ValidationError("only one store: specify a second one, --from TIME or --to TIME")
        }
    }

    func run() async throws {
        let stores = try Failure.of(path) {
            try StoreComparison(
                from: .init(path, at: from?.timestamp), to: .init(other ?? path, at: to?.timestamp))
        }
        var counts = DifferenceCounts()
        let printer = DifferencePrinter(isJSON: json.json)
        var isIncomplete = false
        let comparisons = try await Failure.of(path) {
            try await stores.comparisons(prefix: prefix) { part in
                Warnings.report(part.status, in: part.isOnly ? nil : part.path)
                Warnings.report(part.unexpectedItems, part.path)
            }
        }
        for comparison in comparisons {
            for (side, note) in try Failure.of(path, comparison.notes) {
                Output.note("tideline: \(stores.path(of: side)): \(note)")
            }
            try await comparison.forEach { difference in
                if counts.isEmpty { Output.failIfClosed() }
                counts.add(difference)
                if !stat { printer.print(difference) }
            } warn: { side, problem in
                isIncomplete = true
                Output.note("tideline: \(stores.path(of: side)): \(problem)")
            }
        }
        if stat { printer.print(counts) }
        if !counts.isEmpty {
            Output.flush()
            throw ExitCode.failure
        }
        guard !isIncomplete else {
            throw Failure(.badData, path, "no differences in the parts that could be read")
        }
    }
}
