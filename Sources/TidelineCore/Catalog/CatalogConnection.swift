import Replication
import ServerCatalog
import ServerCatalogGRDB
import Synchronization

/// The file of the shown catalog, which is reopened after every change.
final class CatalogConnection: Sendable {
    /// The path that the user opened: the file, or the package that contains it.
    private let store: String
    private let state: Mutex<State>

    private struct State {
        var path: String
        var stamp: FileStamp?
        var database: CatalogDatabase?
        /// Incremented whenever the file is reopened.
        var generation = 0
        var count: Int?
    }

    /// A state of the catalog.
    struct Snapshot {
        let database: CatalogDatabase
        /// The generation of the snapshot; `nil` if the file changed so recently that another
        /// change could go unnoticed.
        let generation: Int?
    }

    init(path: String, store: String) {
        self.store = store
        state = Mutex(State(path: path))
    }

    var path: String { state.withLock { $0.path } }

    /// Shows the catalog in another file.
    func show(_ path: String) {
        state.withLock { state in
            guard path != state.path else { return }
            state = State(path: path, generation: state.generation + 1)
        }
    }

    var knownCount: Int? { state.withLock { $0.count } }

    /// Runs `body` on one state of the catalog.
    ///
    /// - Throws: ``CoreError`` if the file is unreadable or isn't a catalog.
    func read<Value>(_ body: (CatalogDatabase) throws -> Value) throws -> Value {
        try readSnapshot { try body($0.database) }
    }

    func readSnapshot<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        do {
            return try body(try snapshot())
        } catch let error where !(error is FilterError) {
            let failure = failure(error)
            throw CoreError(.badData, failure.description, suggestion: failure.suggestion?.text)
        }
    }

    private func failure(_ error: any Error) -> CatalogFailure {
        switch error {
        case let error as ServerCatalogError:
            CatalogFailure(error, of: store)
        case let error as ReplicationError where error.code == .notFound:
            CatalogFailure(.noSuchFile, "\(path) is missing")
        default: CatalogFailure(.badData, String(describing: error))
        }
    }

    private func snapshot() throws -> Snapshot {
        try state.withLock { state in
            let path = state.path
            let stamp = try FileStamp(ofFileAt: path)
            if let database = state.database, let known = state.stamp, known == stamp,
                !known.isFresh
            {
                return Snapshot(database: database, generation: state.generation)
            }
            let database = try CatalogDatabase.openForReading(path: path)
            state.database = database
            state.stamp = stamp
            state.generation += 1
            return Snapshot(
                database: database, generation: stamp.isFresh ? nil : state.generation)
        }
    }

    /// Counts the servers for the header.
    ///
    /// - Throws: ``CatalogFailure`` if the file is unreadable or isn't a catalog.
    func count() throws {
        do {
            let count = try snapshot().database.serverCount()
            state.withLock { $0.count = count }
        } catch {
            throw failure(error)
        }
    }
}

extension ResultCache where State == Int {
    /// Returns the cached answer to `query`, or computes it from the current catalog.
    func answer(
        to query: RowQuery, in catalog: CatalogConnection,
        _ make: (CatalogDatabase) throws -> Answer
    ) throws -> Answer {
        try catalog.readSnapshot { snapshot in
            guard let generation = snapshot.generation else { return try make(snapshot.database) }
            return try answer(to: query, in: generation) { try make(snapshot.database) }
        }
    }
}

extension CatalogConnection {
    /// Returns the known values of a filter field.
    ///
    /// - Parameters:
    ///   - filter: The filter. Only values of matching servers are returned.
    ///   - group: The group of these servers; empty for any group.
    /// - Throws: The errors of ``read(_:)``.
    /// - Complexity: O(*n*) in the number of these servers.
    func values(
        of field: FilterField, passing filter: CatalogFilter, among group: [VPNServerFilter] = []
    ) throws -> [String] {
        let asked = ["country", "entry", "exit", "city", "gateway", "tier", "maxtier"]
        guard asked.contains(field.name) else { return [] }
        return try read { catalog in
            let names = catalog.names
            var values: Set<String> = []
            for server in try catalog.servers(passing: filter, among: group) {
                if field.kind == .number {
                    values.insert(String(server.logical.tier))
                } else {
                    let listed = ListedServer(server: server, names: names)
                    values.formUnion(ListedServer.schema.texts(of: listed, for: field.name))
                }
            }
            return Array(values)
        }
    }
}
