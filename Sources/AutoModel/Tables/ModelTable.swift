import GRDB

/// The table of a class of objects.
final class ModelTable<Model: AutoObject>: ObjectTable {
    let layout: TableLayout
    let columnNames: [String]
    let file: DatabaseFile
    private let owner: Locked<WeakDatabase>
    /// All columns if the model doesn't track which columns were set; otherwise empty.
    let untracked: ColumnSet
    let insertSQL: String
    let selectSQL: String
    let cache = IdentityCache()
    /// Objects with unsaved changes, retained until they are saved.
    let listed = Locked(ChangedObjects())
    private let commits = Locked<UInt64>(0)
    let followers = FollowerList<TableChanges>()
    /// Rows with new values that other processes wrote. These values were read before the table's
    /// subscribers were notified of the writes.
    let unreported = Locked<Set<Int64>>([])
    let later = Locked<PostponedWork<Model>>(PostponedWork())
    let queries = Locked<[String: Query<Model>]>([:])

    init(_ place: TablePlace) {
        layout = place.layout
        columnNames = layout.columns.map(\.name)
        file = place.file
        owner = Locked(WeakDatabase(database: place.database))
        untracked = Model._$tracksChanges ? .empty : .first(count: layout.columns.count)
        insertSQL = layout.insertSQL()
        selectSQL = layout.selectSQL
    }

    /// The database of the table. An object may outlive its database; in that case, returns
    /// ``AutoDatabase/none``.
    var database: AutoDatabase { owner.withLock { $0.database } ?? AutoDatabase.none }

    func list(_ object: any AutoObject) {
        guard let object = object as? Model else { return }
        listed.withLock { $0.insert(object) }
    }

    /// Returns the object of a row, if the object is in use.
    func held(_ id: Int64) -> Model? {
        guard let object = cache[id] else { return nil }
        return Self.typed(object)
    }

    /// All objects in use.
    var allHeld: [Model] { cache.objects.map(Self.typed) }

    /// Casts an object of the cache, which holds only objects of this class.
    static func typed(_ object: AnyObject) -> Model { unsafeDowncast(object, to: Model.self) }

    var hasListed: Bool { listed.withLock { !$0.isEmpty } }

    /// Returns the object with the given identifier, or a new one.
    func fetchOrCreate(_ id: Int64) throws -> Model {
        var awaking: [Model] = []
        var deleted: Model?
        // The file's lock is held here, so two threads that request one identifier get one object.
        let object = try file.read { _ in
            let stored = try read(tail: " WHERE id = ?", [.integer(id)])
            awaking = stored.awaking
            if let object = stored.objects.first { return object }
            if let object = held(id) {
                guard object.isStored else { return object }
                // The row was deleted by another process, or is deleted in this transaction.
                if file.currentSession?.deletes(object, of: self) != true { deleted = object }
            }
            return create(id: id)
        }
        if let deleted { markDeleted(deleted) }
        awake(awaking)
        return object
    }

    /// Returns a new object of this table and adds it to the list for the next `saveChanges`.
    func create(id: Int64? = nil) -> Model {
        var state = ObjectState.temporary
        state.table = self
        state.phase = .created
        state.isListed = true
        state.generation = file.generation
        state.id = id ?? (layout.ids == .random ? RandomID.next() : 0)
        let object = Model(_$state: state)
        object.withState { if $0.id != 0 { $0.enterCache(object) } }
        listed.withLock { $0.insert(object) }
        return object
    }

    var model: any AutoRecord.Type { Model.self }
    var version: Version {
        Version(own: commits.withLock { $0 }, foreign: file.generation)
    }
    func bump() { commits.withLock { $0 &+= 1 } }

    func committed(_ changes: TableChanges) { followers.notify(changes) }
}

/// Objects with changes, in the order in which they were created or first changed.
///
/// The struct isn't generic over the class, for the same reason as ``IdentityCache``.
struct ChangedObjects {
    private var places: [ObjectIdentifier: Int] = [:]
    /// The objects; `nil` at the places of removed objects.
    private var slots: ContiguousArray<AnyObject?> = []

    var isEmpty: Bool { places.isEmpty }
    var inOrder: [AnyObject] { slots.compactMap(\.self) }

    mutating func insert(_ object: AnyObject) {
        guard places[ObjectIdentifier(object)] == nil else { return }
        places[ObjectIdentifier(object)] = slots.count
        slots.append(object)
    }

    mutating func remove(_ object: AnyObject) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(object)) else { return }
        slots[place] = nil
        if places.isEmpty {
            slots = []
        } else if slots.count > 64, slots.count > 2 * places.count {
            slots.removeAll { $0 == nil }
            for (place, object) in slots.enumerated() {
                if let object { places[ObjectIdentifier(object)] = place }
            }
        }
    }
}

struct WeakDatabase {
    weak var database: AutoDatabase?
}
