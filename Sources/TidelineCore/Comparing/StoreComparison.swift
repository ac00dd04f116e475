import DocumentStore
package import Replication

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
        /// The kind of data in the part, if ``DifferencesSource`` can take it over.
        package let kind: StoreDifference.Kind?
        /// Whether both sides are states of this store.
        package let isOnly: Bool
        /// The status of the part's devices. Devices that can't be read are left out.
        package let status: SessionStatus
        /// Problems of unexpected files in the store.
        package let unexpectedItems: [String]
    }

    /// An error that names the path of its store.
    fileprivate struct PathError: ExplainedError {
        let path: String
        let error: any ExplainedError

        var category: ErrorCategory { error.category }
        var subject: String? { error.subject ?? path }
        var reason: String { error.reason }
        var suggestion: Suggestion? { error.suggestion }
    }

    package let from: Side
    package let to: Side
    private let models: [any DataModel]
    fileprivate let kinds: (from: StoreKind, to: StoreKind)

    /// Determines the kind of both stores.
    ///
    /// - Throws: An ``ExplainedError`` if there is no store at a path; ``CoreError`` `.usage` for
    ///   stores of different kinds.
    package init(
        from: Side, to: Side, models: [any DataModel] = DataModels.standard
    ) throws {
        self.from = from
        self.to = to
        self.models = models
        kinds = (
            try Self.naming(from.path) { try StoreKind(of: from.path, models: models) },
            try Self.naming(to.path) { try StoreKind(of: to.path, models: models) }
        )
        guard kinds.from.name == kinds.to.name else {
            throw CoreError(
                .usage, at: to.path,
                "can't be compared with \(from.path), because the kinds differ: "
                    + "\(kinds.to.name) and \(kinds.from.name)")
        }
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
        let stores = ComparedStores(self, prefix: prefix)
        defer { stores.takeOpened().forEach(opened) }
        if case .single(let store) = kinds.from { return try await store.comparisons(stores) }
        var comparisons: [any Comparison] = []
        for model in models {
            comparisons += try await model.comparisons(of: stores)
            stores.takeOpened().forEach(opened)
        }
        if !stores.isOne, let (from, to) = stores.packages {
            comparisons.append(BlobComparison(from: from.blobs, to: to.blobs, prefix: prefix))
        }
        return comparisons
    }

    /// Returns the paths of stores that have only their present state.
    ///
    /// - Throws: ``CoreError`` `.usage` if an instant is given.
    func presentPaths() throws -> (from: String, to: String) {
        guard from.instant == nil, to.instant == nil else {
            throw CoreError(
                .usage, at: from.path,
                "stores of the kind \(kinds.from.name) have no earlier states")
        }
        return (from.path, to.path)
    }

    /// Runs `body`, and adds the path to its errors.
    static func naming<Result>(
        _ path: String, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as any ExplainedError {
            throw PathError(path: path, error: error)
        }
    }
}

/// The stores of a comparison, for the data models that open them.
package final class ComparedStores {
    let comparison: StoreComparison
    /// Only names with this prefix are compared.
    let prefix: String
    private var opened: [StoreComparison.OpenedPart] = []

    fileprivate init(_ comparison: StoreComparison, prefix: String) {
        self.comparison = comparison
        self.prefix = prefix
    }

    /// The stores, if they are packages.
    var packages: (from: StorePackage, to: StorePackage)? {
        guard case .package(let from) = comparison.kinds.from,
            case .package(let to) = comparison.kinds.to
        else { return nil }
        return (from, to)
    }

    /// Whether two states of one store are compared.
    var isOne: Bool { comparison.from.path == comparison.to.path }

    /// Returns whether a store contains a database of this kind; always `true` for single stores.
    ///
    /// - Throws: `ReplicationError` if a package can't be listed.
    func contain(_ kind: DatabaseKind) throws -> Bool {
        guard let (from, to) = packages else { return true }
        return try (from.devices() + to.devices()).contains { $0.has(kind) }
    }

    /// Opens one data model of both stores. If they are the same store, opens it only once.
    ///
    /// - Parameter kind: The kind of data in the parts, if ``DifferencesSource`` can take it over.
    /// - Throws: Errors from opening, which name the store.
    func open<Part: StandalonePart>(
        _ model: Part.Type, as kind: StoreDifference.Kind?
    ) async throws -> (from: DatedStore<Part.Store>, to: DatedStore<Part.Store>) {
        let (from, to) = (comparison.from, comparison.to)
        let opener = StoreOpener(device: nil)
        func store(at path: String) async throws -> Part.Store {
            do {
                let (session, store) = try await opener.open(model, of: path)
                opened.append(
                    StoreComparison.OpenedPart(
                        path: path, kind: kind, isOnly: isOne, status: session.status,
                        unexpectedItems: (store as? AutomergeStore)?.unexpectedItems ?? []))
                return store
            } catch let error as any ExplainedError {
                throw StoreComparison.PathError(path: path, error: error)
            }
        }
        let old = try await store(at: from.path)
        let new = isOne ? old : try await store(at: to.path)
        return (DatedStore(old, at: from.instant), DatedStore(new, at: to.instant))
    }

    /// Returns the parts that were opened since the last call.
    fileprivate func takeOpened() -> [StoreComparison.OpenedPart] {
        defer { opened = [] }
        return opened
    }
}
