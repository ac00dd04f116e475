import ArgumentParser
import CommandSupport
import DocumentStore
import EntityStore
import Foundation
import KeyValueStore
import Replication
import TidelineCore

struct Extract: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a part of a store into a new store, for example for a bug report.",
        discussion: """
            Copies all rows of the chosen keys, entities and documents, from every device, with \
            their parents, times and order. The copy has the same history and the same conflicts.

            With --redact, texts, names, identifiers and bytes are replaced by random contents of \
            the same type, length and script. Equal contents are replaced by the same content, \
            and different contents by different ones. Words are replaced one by one. \
            Punctuation, booleans and times are kept. Devices are called device-1, device-2, and \
            so on.

            Example: tideline extract Notes.store --conflicts --output Small.store --redact
            """,
        helpNames: .long)
    @OptionGroup var store: PathArgument
    @Argument(
        parsing: .allUnrecognized, help: ArgumentHelp("The keys to copy.", valueName: "key"))
    var words: [String] = []
    @Option(parsing: .unconditional, help: "Copy all keys with this prefix (case-sensitive).")
    var prefix: String?
    @Option(
        parsing: .unconditional,
        help: "Copy the keys that match a filter of the browser, for example age<1h.")
    var filter: String?
    @Flag(help: "Copy everything in conflict: keys, entities and documents.") var conflicts = false
    @Option(
        name: .customLong("entity"), parsing: .unconditionalSingleValue,
        help: "Copy an entity, by identifier.")
    var entities: [String] = []
    @Option(
        name: .customLong("document"), parsing: .unconditionalSingleValue,
        help: "Copy a document, by identifier, start of its identifier, or name of its workspace.")
    var documents: [String] = []
    @Option(help: "The new store.", completion: .directory, transform: PathWord.path)
    var output: String
    @Flag(help: "Replace texts, names, identifiers and bytes.") var redact = false
    @Flag(help: "Replace numbers and dates, too.") var redactNumbers = false

    private func keys() throws -> [String] { try ArgumentWords(words, count: .max).checked() }

    func validate() throws {
        guard
            try conflicts || prefix != nil || filter != nil
                || !(keys().isEmpty && entities.isEmpty && documents.isEmpty)
        else {
            throw ValidationError(
                "specify keys, --prefix, --filter, --conflicts, --entity or --document")
        }
        guard redact || !redactNumbers else {
            throw ValidationError("--redact-numbers needs --redact")
        }
    }

    func run() async throws {
        let package = try Failure.of(store.path) { try StoreKind.package(at: store.path) }
        var extraction = Extraction()
        let keyValue = try await ModelOpener.reading(KeyValuePart.self, of: store.path)
        extraction.keys = try await chosenKeys(of: keyValue)
        extraction.entities = try await chosenEntities(of: package)
        extraction.documents = try await chosenDocuments(of: package)
        guard !extraction.isEmpty else { throw Failure(.noSuchItem, store.path, "nothing matches") }
        let chosen = extraction
        let counts = try await UnfinishedItem.run { willFill in
            try write(chosen, of: package, keyValue, willFill)
        }
        let parts = [
            (extraction.keys.count, "key", "keys", counts.keyRows),
            (extraction.entities.count, "entity", "entities", counts.entityRows),
            (extraction.documents.count, "document", "documents", counts.documentRows),
        ].filter { $0.0 > 0 }
        for (count, one, many, rows) in parts {
            Output.note(
                "\(Counted.text(count, one, many)) with \(Counted.text(rows, "row")) copied to "
                    + output)
        }
    }

    private func write(
        _ extraction: Extraction, of package: StorePackage, _ keyValue: KeyValueStore,
        _ willFill: (String) -> Void
    ) throws -> Extraction.Counts {
        try Failure.of(store.path) {
            try extraction.write(
                package, keys: keyValue, to: output,
                redacting: redactNumbers ? .textsAndNumbers : redact ? .texts : .none,
                willFill: willFill)
        }
    }

    private func chosenKeys(of store: KeyValueStore) async throws -> Set<Name> {
        var chosen: Set<Name> = []
        for key in try keys() {
            guard store.newestTimestamp(forKey: key) != nil else {
                try Failure.refuseEmpty(key, to: "extract")
                throw Failure.missing(key, "no such key", among: store.devices)
            }
            chosen.insert(Name(key))
        }
        if conflicts { chosen.formUnion(store.conflictKeys.map { Name($0) }) }
        if let prefix {
            let found = store.entryList(prefix: prefix, includesRemoved: true)
            let entries = store.entries(found, 0..<found.count) ?? []
            chosen.formUnion(entries.map { Name($0.key) })
        }
        if let filter { chosen.formUnion(try await keys(matching: filter)) }
        return chosen
    }

    private func keys(matching filter: String) async throws -> [Name] {
        try await Failure.of("--filter \(filter)") {
            let (session, _) = try await StoreOpener(device: nil)
                .open(KeyValuePart.self, of: store.path)
            let source = session.panes.first { $0.id == .keys }?.source
            return try await source?.rows(matching: filter).map { Name($0.name) } ?? []
        }
    }

    private func chosenEntities(of package: StorePackage) async throws -> Set<Name> {
        var chosen = Set(entities.map { Name($0) })
        if conflicts, EntitiesPart.isPresent(in: package) {
            let store = try await ModelOpener.reading(EntitiesPart.self, of: self.store.path)
            chosen.formUnion(await store.conflicts().map { Name($0.identifier) })
        }
        return chosen
    }

    private func chosenDocuments(of package: StorePackage) async throws -> Set<UUID> {
        guard conflicts || !documents.isEmpty else { return [] }
        guard try package.devices().contains(where: { $0.has(.documents) }),
            let store = try await OpenDocuments.reading(self.store.path)
        else {
            if let document = documents.first {
                throw Failure(.noSuchItem, document, "no such document")
            }
            return []
        }
        var chosen: Set<UUID> = []
        for document in documents {
            chosen.insert(try OpenDocuments.identifier(document, in: store))
        }
        guard conflicts else { return chosen }
        var failure: Failure?
        store.forEachDocument { summary, opened in
            do {
                guard let document = try opened.get() else { return }
                var isInConflict = false
                _ = try DocumentView(document).forEachConflict { _ in isInConflict = true }
                if isInConflict { chosen.insert(summary.id) }
            } catch {
                failure = failure ?? Failure(error, while: store.text(of: summary.id))
            }
        }
        // The other documents are still copied.
        if let failure { for line in failure.lines { Output.note(line) } }
        return chosen
    }
}
