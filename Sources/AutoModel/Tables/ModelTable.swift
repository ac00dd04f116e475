import Dispatch
import GRDB
import GRDBSQLite

/// The table of a class of objects.
final class ModelTable<Model: AutoObject>: AnyTable {
    let layout: TableLayout
    let columnNames: [String]
    let file: DatabaseFile
    private let owner: Locked<WeakDatabase>
    let insertSQL: String
    let selectSQL: String
    let cache = IdentityCache<Model>()
    /// Those with changes, kept alive until these are saved.
    let listed = Locked(ChangedObjects<Model>())
    private let commits = Locked<UInt64>(0)
    let followers = FollowerList<TableChanges>()
    /// Rows that others changed, as was noticed, and whoever follows the table was not told of.
    let unsaid = Locked<Set<Int64>>([])
    let later = Locked<LaterWork<Model>>(LaterWork())
    let queries = Locked<[String: Query<Model>]>([:])

    init(_ place: TablePlace) {
        layout = place.layout
        columnNames = layout.columns.map(\.name)
        file = place.file
        owner = Locked(WeakDatabase(place.database))
        insertSQL = layout.insertSQL
        selectSQL = layout.selectSQL
    }

    /// A table is reached by way of its database alone, or of an object, which may outlive it.
    var database: AutoDatabase { owner.withLock { $0.database } ?? AutoDatabase.none }

    func list(_ object: any AutoObject) {
        guard let object = object as? Model else { return }
        listed.withLock { $0.insert(object) }
    }

    var hasListed: Bool { listed.withLock { !$0.isEmpty } }

    /// A new object of this table, saved with the next changes.
    func create(id: Int64? = nil) -> Model {
        var state = ObjectState.temporary
        state.table = self
        state.phase = .created
        state.isListed = true
        state.generation = file.generation
        state.id = id ?? (layout.ids == .random ? RandomID.next() : 0)
        let object = Model(_$state: state)
        if state.id != 0 { cache.insert(object, state.id) }
        listed.withLock { $0.insert(object) }
        return object
    }

    var model: any AutoRecord.Type { Model.self }
    var version: Version {
        Version(own: commits.withLock { $0 }, foreign: file.generation)
    }
    func bump() { commits.withLock { $0 &+= 1 } }

    func committed(_ changes: TableChanges) { followers.tell(changes) }
}

/// Objects with changes, in the order in which they were made or first changed.
struct ChangedObjects<Model: AutoObject> {
    private var entries: [ObjectIdentifier: (number: UInt64, object: Model)] = [:]
    private var next: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }
    var inOrder: [Model] { entries.values.sorted { $0.number < $1.number }.map(\.object) }

    mutating func insert(_ object: Model) {
        guard entries[ObjectIdentifier(object)] == nil else { return }
        next += 1
        entries[ObjectIdentifier(object)] = (next, object)
    }

    mutating func remove(_ object: Model) {
        entries.removeValue(forKey: ObjectIdentifier(object))
    }
}

struct WeakDatabase {
    weak var database: AutoDatabase?
    init(_ database: AutoDatabase) { self.database = database }
}

/// The objects that somebody holds, by identifier.
final class IdentityCache<Model: AutoObject>: Sendable {
    private struct Entry { weak var object: Model? }
    private struct State {
        var entries: [Int64: Entry] = [:]
        /// How many entries there may be before the dead are removed.
        var bound = 256
    }
    private let state = Locked(State())

    subscript(id: Int64) -> Model? { state.withLock { $0.entries[id]?.object } }

    func insert(_ object: Model, _ id: Int64) {
        state.withLock { state in
            state.entries[id] = Entry(object: object)
            guard state.entries.count >= state.bound else { return }
            // Half of them must go before it is looked at again: the cost is that of inserting.
            state.entries = state.entries.filter { $0.value.object != nil }
            state.bound = max(256, state.entries.count * 2)
        }
    }

    func remove(_ id: Int64) { state.withLock { _ = $0.entries.removeValue(forKey: id) } }

    /// All that are alive.
    var objects: [Model] { state.withLock { $0.entries.values.compactMap(\.object) } }

    /// Those of the identifiers that are alive.
    func objects(_ ids: [Int64]) -> [Model?] {
        state.withLock { state in ids.map { state.entries[$0]?.object } }
    }
}
