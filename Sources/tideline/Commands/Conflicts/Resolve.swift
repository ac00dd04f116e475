import ArgumentParser
import CommandSupport
import KeyValueStore
import Replication
import TidelineCore

struct Resolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Resolve a conflict, or many conflicts by rules, on every device.",
        discussion: """
            --rules resolves conflicts of keys, entities and documents by the rules under 'resolve' \
            in the settings, as M does in the browser. For each conflict, the first rule that \
            applies is used. Ignored conflicts and versions of blobs are not changed. Prints each \
            change. To undo the changes, use 'tideline undo' or the browser.

            --tool starts a merge tool as 'git mergetool' does: NAME, the setting merge-tool, or \
            the tool that git is configured to use. It gets the common base, the sides and the \
            merged value as files. More than two sides are merged one after the other. The result \
            is shown, and written with the type of the winner if you confirm it. If another side \
            has arrived in the meantime, nothing is written.

            Example: tideline resolve Notes.store note/1/due --take ben-phone
            Example: tideline resolve Notes.store note/1/title --tool meld
            Example: tideline resolve Notes.store --rules --dry-run
            """,
        helpNames: .long)
    @OptionGroup var store: PathArgument
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            """
            The key. Leave it out with --rules. To resolve a property of an entity, use 'tideline \
            entities set'; for a value in a document, 'tideline docs set'.
            """, valueName: "key"))
    var words: [String] = []
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Choose the value of this device, by identifier or name.", valueName: "device"))
    var take: String?
    @Option(parsing: .unconditional, help: "Choose this value.") var value: String?
    @Flag(
        help: """
            Choose the merged value. Fails if two sides have changed the same part differently.
            """)
    var proposal = false
    @Option(
        defaultAsFlag: "",
        help: ArgumentHelp("Merge the sides with a merge tool.", valueName: "name"))
    var tool: String?
    @Flag(help: "Resolve all conflicts to which a rule of the settings applies.")
    var rules = false
    @Flag(help: "With --rules, print the changes without writing them.") var dryRun = false
    @OptionGroup var type: ValueOption
    @OptionGroup var device: DeviceOption

    private var key: String { ArgumentWords(words).words.last ?? "" }

    func validate() throws {
        let ways = [take != nil, value != nil, proposal, tool != nil, rules]
        guard ways.count(where: { $0 }) == 1 else {
            throw ValidationError(
                "specify exactly one of --take, --value, --proposal, --tool and --rules")
        }
        guard rules else {
            if dryRun { throw ValidationError("--dry-run requires --rules") }
            try ArgumentWords(words).require(["key"])
            return
        }
        guard try ArgumentWords(words).checked().isEmpty else {
            throw ValidationError("--rules takes no key")
        }
    }

    func run() async throws {
        if rules {
            return try await RuleResolution(store: store.path, isDryRun: dryRun).run(as: device)
        }
        try await EditRunner.key(key, "resolve", of: store, as: device) { store in
            do {
                if let take {
                    try store.resolve(key, taking: try self.store.device(named: take))
                } else if let value {
                    let winner = store[key]
                    try store.resolve(key, with: try type.value(value))
                    if !type.isGiven, let winner {
                        Warnings.reportString(replacing: winner.typeName, at: key)
                    }
                } else if let tool {
                    try ToolMerge(of: key, in: store).resolve(with: tool)
                } else {
                    let (conflict, value) = try proposal(in: store)
                    try store.resolve(conflict, with: value)
                }
            } catch let error as KeyValueError where error.code == .notFound {
                try Failure.refuseEmpty(key, to: "resolve")
                throw Failure(
                    .noSuchItem, "resolve \(key)", error.message, suggestion: suggestion(in: store))
            }
        }
    }

    /// Returns the devices that --take accepts if the key is in conflict, otherwise the command that
    /// lists conflicts.
    private func suggestion(in store: KeyValueStore) -> String {
        guard let conflict = try? store.conflict(forKey: key) else {
            return "to list the conflicts: tideline conflicts \(self.store.path)"
        }
        return "choose one of \(conflict.rows.map(\.device.name).joined(separator: ", "))"
    }

    /// Returns the current conflict and the merged value.
    private func proposal(
        in store: KeyValueStore
    ) throws -> (KeyValueStore.Conflict, PropertyList) {
        let name = "resolve \(key)"
        guard let conflict = try store.conflict(forKey: key) else {
            try Failure.refuseEmpty(key, to: "resolve")
            throw Failure(.noSuchItem, name, "the key is not in conflict")
        }
        guard let merge = conflict.proposal, let value = merge.value else {
            throw Failure(
                .noSuchItem, name, "the sides can't be merged",
                suggestion: "choose a side with --take, or another value with --value")
        }
        guard merge.overlaps.isEmpty else {
            let places = merge.overlaps.map(Printable.line).joined(separator: ", ")
            throw Failure(
                .noSuchItem, name, "two sides have changed the same part: \(places)",
                suggestion: "choose a side with --take, or another value with --value")
        }
        return (conflict, value)
    }
}
