import DocumentStore
import EntityStore
import KeyValueStore
package import Replication
import Tables

/// Two stores, or two states of one store, to compare.
package struct StoreComparison: Sendable {
    /// One of the two stores or states.
    package struct Side: Sendable {
        package let path: String
        /// The time of the state; `nil` for the present.
        package let instant: Timestamp?

        package init(_ path: String, at instant: Timestamp? = nil) {
            self.path = path
            self.instant = instant
        }
    }

    /// A part of a store that was opened for a comparison.
    package struct OpenedPart: Sendable {
        /// The path of the store.
        package let path: String
        /// The kind of data in the part; `nil` for data models other than keys, entities and
        /// documents.
        package let kind: StoreDifference.Kind?
        /// Whether both sides are states of this store.
        package let isOnly: Bool
        /// The status of the part's devices. Devices that can't be read are left out.
        package let status: SessionStatus
        /// Problems of unexpected files in the store.
        package let unexpectedItems: [String]
    }

    /// An error that names the path of its store.
    private struct PathError: ExplainedError {
        let path: String
        let error: any ExplainedError

        var category: ErrorCategory { error.category }
        var subject: String? { error.subject ?? path }
        var reason: String { error.reason }
        var suggestion: Suggestion? { error.suggestion }
    }

    package let from: Side
    package let to: Side
    /// The data models that are compared in packages.
    package var models: [any DataModel] = DataModels.standard
    private let kinds: (from: StoreKind, to: StoreKind)

    /// Determines the kind of both stores.
    ///
    /// - Throws: An ``ExplainedError`` if there is no store at a path; ``CoreError`` `.usage` for
    ///   stores of different kinds.
    package init(from: Side, to: Side) throws {
        self.from = from
        self.to = to
        kinds = (
            try Self.naming(from.path) { try StoreKind(of: from.path) },
            try Self.naming(to.path) { try StoreKind(of: to.path) }
        )
        guard kinds.from.name == kinds.to.name else { throw mismatch }
    }

    private var mismatch: CoreError {
        CoreError(
            .usage, at: to.path,
            "can't be compared with \(from.path), because the kinds differ: "
                + "\(kinds.to.name) and \(kinds.from.name)")
    }

    /// Returns the path of a side, for warnings.
    package func path(of side: ComparedSide) -> String { side == .from ? from.path : to.path }

    /// Opens the stores and returns one comparison for each kind of data, in the order in which
    /// lists show them.
    ///
    /// - Parameters:
    ///   - prefix: Compares only names with this prefix.
    ///   - opened: Receives each part of a store that is opened.
    /// - Throws: ``CoreError`` `.usage` if an instant is given but the stores have no history;
    ///   errors from opening.
    package func comparisons(
        prefix: String = "", opened: (OpenedPart) -> Void = { _ in }
    ) async throws -> [any Comparison] {
        switch kinds.from {
        case .package(let old):
            guard case .package(let new) = kinds.to else { throw mismatch }
            return try await comparisons(of: old, new, prefix, opened)
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
        case .coreDataEntities, .entities:
            let stores = try await stores(EntitiesPart.self, opened)
            return [EntityComparison(from: stores.from, to: stores.to, prefix: prefix)]
        case .coreDataDocuments, .storageFolder:
            let stores = try await stores(DocumentStorePart.self, opened)
            return [DocumentComparison(stores, prefix: prefix)]
        case .automerge:
            return [DocumentComparison(from: try file(of: from), to: try file(of: to))]
        }
    }

    private func file(of side: Side) throws -> DatedStore<DocumentComparison.Source> {
        let file = try Self.naming(side.path) { try AutomergeFile(side.path) }
        return DatedStore(DocumentComparison.Source.file(file), at: side.instant)
    }

    private func refuseTimes() throws {
        guard from.instant == nil, to.instant == nil else {
            throw CoreError(
                .usage, at: from.path,
                "stores of the kind \(kinds.from.name) have no earlier states")
        }
    }

    private func comparisons(
        of old: StorePackage, _ new: StorePackage, _ prefix: String,
        _ opened: (OpenedPart) -> Void
    ) async throws -> [any Comparison] {
        let packages = ComparedPackages(self, old, new, prefix: prefix)
        var comparisons: [any Comparison] = []
        for model in models {
            defer { packages.takeOpened().forEach(opened) }
            comparisons += try await model.comparisons(of: packages)
        }
        if !packages.isOne {
            comparisons.append(BlobComparison(from: old.blobs, to: new.blobs, prefix: prefix))
        }
        return comparisons
    }

    /// Opens one data model of both stores. If they are the same store, opens it only once.
    fileprivate func stores<Part: StandalonePart>(
        _ model: Part.Type, _ opened: (OpenedPart) -> Void
    ) async throws -> (from: DatedStore<Part.Store>, to: DatedStore<Part.Store>) {
        let isOne = from.path == to.path
        let opener = StoreOpener(device: nil)
        func kind(of store: Part.Store) -> StoreDifference.Kind? {
            switch store {
            case is KeyValueStore: .keys
            case is EntityStore: .entities
            case is AutomergeStore: .documents
            default: nil
            }
        }
        func store(at path: String) async throws -> Part.Store {
            do {
                let (session, store) = try await opener.open(model, of: path)
                opened(
                    OpenedPart(
                        path: path, kind: kind(of: store), isOnly: isOne,
                        status: session.status,
                        unexpectedItems: (store as? AutomergeStore)?.unexpectedItems ?? []))
                return store
            } catch let error as any ExplainedError {
                throw PathError(path: path, error: error)
            }
        }
        let old = try await store(at: from.path)
        let new = isOne ? old : try await store(at: to.path)
        return (DatedStore(old, at: from.instant), DatedStore(new, at: to.instant))
    }

    /// Runs `body`, and adds the path to its errors.
    private static func naming<Result>(
        _ path: String, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as any ExplainedError {
            throw PathError(path: path, error: error)
        }
    }
}

/// The packages of a comparison, for the data models that open them.
package final class ComparedPackages {
    let from: StorePackage
    let to: StorePackage
    /// Only names with this prefix are compared.
    let prefix: String
    private let comparison: StoreComparison
    private var opened: [StoreComparison.OpenedPart] = []

    fileprivate init(
        _ comparison: StoreComparison, _ from: StorePackage, _ to: StorePackage, prefix: String
    ) {
        self.comparison = comparison
        self.from = from
        self.to = to
        self.prefix = prefix
    }

    /// Whether two states of one package are compared.
    var isOne: Bool { comparison.from.path == comparison.to.path }

    /// Returns whether a package contains a database of this kind.
    ///
    /// - Throws: `ReplicationError` if a package can't be listed.
    func contain(_ kind: DatabaseKind) throws -> Bool {
        try (from.devices() + to.devices()).contains { $0.has(kind) }
    }

    /// Opens one data model of both packages.
    ///
    /// - Throws: Errors from opening, which name the package.
    func stores<Part: StandalonePart>(
        _ model: Part.Type
    ) async throws -> (from: DatedStore<Part.Store>, to: DatedStore<Part.Store>) {
        try await comparison.stores(model) { opened.append($0) }
    }

    /// Returns the parts that were opened since the last call.
    fileprivate func takeOpened() -> [StoreComparison.OpenedPart] {
        defer { opened = [] }
        return opened
    }
}
