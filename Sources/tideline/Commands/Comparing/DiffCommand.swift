import ArgumentParser
import CommandSupport
import DocumentStore
import EntityStore
import KeyValueStore
import Replication
import Tables
import TidelineCore

/// `tideline diff`: the differences between two stores, or between two states of one.
struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "List the differences between two stores, or between two states of a store.",
        discussion: """
            Compares two packages, for example a store and its backup, two databases, two folders of \
            documents, or two .automerge files: by key, property of an entity, place in a document, \
            server, blob, and row of a table. With one path, compares the store at two times. A side \
            without a time is compared as it is now. Servers, blobs and tables have no earlier \
            states.

            A difference is "added", "removed" or "changed", seen from A to B, or "notArrived" if \
            A has a newer row, and B's log of the device that wrote it ends before that row. The \
            exit code is 0 without differences and 1 with some.

            Example: tideline diff Notes.store Backup.store --prefix note/
            """)
    @Argument(help: ArgumentHelp("The first store.", valueName: "a"), completion: .file())
    var path: String
    @Argument(
        help: ArgumentHelp("The second store (default: the first).", valueName: "b"),
        completion: .file())
    var other: String?
    @Option(parsing: .unconditional, help: TimeArgument.help("Compare A as of a time"))
    var from: TimeArgument?
    @Option(parsing: .unconditional, help: TimeArgument.help("Compare B as of a time"))
    var to: TimeArgument?
    @Option(parsing: .unconditional, help: "Only names with this prefix (case-sensitive).")
    var prefix = ""
    @Flag(help: "Print the number of differences of each kind and table.") var stat = false
    @OptionGroup var json: JSONFlag

    func validate() throws {
        guard other != nil || from != nil || to != nil else {
            throw ValidationError("one store only: give a second one, --from TIME or --to TIME")
        }
    }

    func run() async throws {
        let stores = try ComparedStores(
            from: path, at: from?.timestamp, to: other ?? path, at: to?.timestamp)
        var counts = DifferenceCounts()
        let printer = DifferencePrinter(isJSON: json.json)
        var isIncomplete = false
        for comparison in try await stores.comparisons(prefix: prefix) {
            try await comparison.forEach { difference in
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
            throw ExitCode(FailureKind.noAnswer.rawValue)
        }
        guard !isIncomplete else {
            throw Failure(.badData, path, "no differences in the parts that could be read")
        }
    }
}

/// The two sides of `tideline diff`.
private struct ComparedStores {
    private struct Side {
        let path: String
        let instant: Timestamp?
    }

    private let from: Side
    private let to: Side
    private let kinds: (from: StoreKind, to: StoreKind)

    /// - Throws: A usage error for stores of different kinds.
    init(
        from: String, at fromInstant: Timestamp?, to: String, at toInstant: Timestamp?
    ) throws {
        self.from = Side(path: from, instant: fromInstant)
        self.to = Side(path: to, instant: toInstant)
        func kind(_ path: String) throws -> StoreKind {
            try Failure.of(path) { try StoreKind(of: path) }
        }
        kinds = (try kind(from), try kind(to))
        guard kinds.from.name == kinds.to.name else { throw mismatch }
    }

    private var mismatch: Failure {
        Failure(
            .usage, to.path,
            "a store of the kind \(kinds.to.name), while \(from.path) is of the kind "
                + kinds.from.name)
    }

    func path(of side: ComparedSide) -> String { side == .from ? from.path : to.path }

    /// Opens the stores, and returns the comparisons of their data in the order of output. Warns
    /// about unreadable devices.
    func comparisons(prefix: String) async throws -> [any Comparison] {
        switch kinds.from {
        case .package(let old):
            guard case .package(let new) = kinds.to else { throw mismatch }
            return try await comparisons(of: old, new, prefix)
        case .tables, .coreDataTables:
            try refuseTimes()
            return [
                TableComparison(
                    from: TableFile(from.path), to: TableFile(to.path), prefix: prefix)
            ]
        case .catalog:
            try refuseTimes()
            return [
                ServerComparison(
                    from: StoreKind.resolved(from.path), to: StoreKind.resolved(to.path),
                    prefix: prefix)
            ]
        case .coreDataEntities, .entities: return [try await entities(prefix)]
        case .coreDataDocuments, .storageFolder: return [try await documents(prefix)]
        case .automerge:
            func file(_ path: String) throws -> AutomergeFile {
                try Failure.of(path) { try AutomergeFile.reading(path) }
            }
            return [
                DocumentComparison(
                    from: .init(try file(from.path), at: from.instant),
                    to: .init(try file(to.path), at: to.instant))
            ]
        }
    }

    private func refuseTimes() throws {
        guard from.instant == nil, to.instant == nil else {
            throw Failure(
                .usage, from.path, "stores of the kind \(kinds.from.name) have no earlier states")
        }
    }

    private func comparisons(
        of old: StorePackage, _ new: StorePackage, _ prefix: String
    ) async throws -> [any Comparison] {
        let keys = try await opened(KeyValuePart.self)
        var comparisons: [any Comparison] = [
            KeyComparison(
                from: .init(keys.from, at: from.instant), to: .init(keys.to, at: to.instant),
                prefix: prefix)
        ]
        func holds(_ kind: DatabaseKind) throws -> Bool {
            try (old.devices() + new.devices()).contains { $0.has(kind) }
        }
        if try holds(.entities) { comparisons.append(try await entities(prefix)) }
        if try holds(.documents) { comparisons.append(try await documents(prefix)) }
        guard from.path != to.path else { return comparisons }
        comparisons += try ServerComparison.comparisons(of: old, new, prefix: prefix)
        comparisons.append(BlobComparison(from: old.blobs, to: new.blobs, prefix: prefix))
        return comparisons
    }

    private func entities(_ prefix: String) async throws -> EntityComparison {
        let stores = try await opened(EntitiesPart.self)
        return EntityComparison(
            from: .init(stores.from, at: from.instant), to: .init(stores.to, at: to.instant),
            prefix: prefix)
    }

    private func documents(_ prefix: String) async throws -> DocumentComparison {
        let stores = try await opened(DocumentStorePart.self)
        Warnings.tellOddities(of: stores.from, from.path)
        if from.path != to.path { Warnings.tellOddities(of: stores.to, to.path) }
        return DocumentComparison(
            from: .init(stores.from, at: from.instant), to: .init(stores.to, at: to.instant),
            prefix: prefix)
    }

    /// Opens one data model of both stores; only once if they are the same.
    private func opened<Part: ModelPart>(
        _ model: Part.Type
    ) async throws -> (from: Part.Store, to: Part.Store) {
        let isOne = from.path == to.path
        let old = try await Opened.reading(model, of: from.path, namesPath: !isOne)
        guard !isOne else { return (old, old) }
        return (old, try await Opened.reading(model, of: to.path, namesPath: true))
    }
}
