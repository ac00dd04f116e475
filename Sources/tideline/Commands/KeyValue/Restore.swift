import ArgumentParser
import CommandSupport
import TidelineCore

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restore keys to their values at an earlier time.",
        discussion: """
            Keys that did not exist at that time are deleted. Prints each change. To undo the \
            changes, use 'tideline undo' or the browser.

            Example: tideline restore Notes.store --prefix note/1/ --at 7d --dry-run
            """,
        helpNames: .long)
    @OptionGroup var store: PathArgument
    @Argument(
        parsing: .allUnrecognized, help: ArgumentHelp("The keys.", valueName: "key"))
    var words: [String] = []
    @Option(parsing: .unconditional, help: "Restore all keys with this prefix (case-sensitive).")
    var prefix: String?
    @Option(
        parsing: .unconditional, help: TimeArgument.help("The time to restore"),
        transform: TimeArgument.parse)
    var at: TimeArgument
    @Flag(help: "Print the changes without writing them.") var dryRun = false
    @OptionGroup var device: DeviceOption

    private func keys() throws -> [String] { try ArgumentWords(words, count: .max).checked() }

    func validate() throws {
        guard try keys().isEmpty == (prefix != nil) else {
            throw ValidationError("specify either keys or --prefix")
        }
    }

    func run() async throws {
        let keys = try keys()
        // Other kinds of stores have no keys to restore.
        _ = try Failure.of(store.path) { try StoreKind.package(at: store.path) }
        try await EditRunner.store(
            store.path, as: device, isWritable: !dryRun, models: [PaneID.keys.part]
        ) { editor in
            let source = try editor.source(ofPane: PaneID.keys.text)
            var rows = keys.map { RowID($0) }
            if let prefix {
                rows = try await source.changedRows(under: prefix, since: at.timestamp)
            }
            guard !rows.isEmpty else {
                Output.note("nothing to restore: no key has changed since that time")
                return nil
            }
            let preview: EditPreview
            do {
                preview = try await source.preview(.restore(rows, at: at.timestamp))
            } catch let error as EditError where error.code == .unchanged {
                Output.note(error.message)
                return nil
            } catch let error as EditError where error.code == .notFound {
                if keys.contains("") { try Failure.refuseEmpty("", to: "restore") }
                throw error
            }
            EditRunner.print([preview])
            return dryRun ? nil : try await editor.apply([preview], pane: PaneID.keys.text)
        }
    }
}
