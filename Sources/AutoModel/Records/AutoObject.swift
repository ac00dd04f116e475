import Glibc

/// A class whose objects are rows of a table.
///
/// ```swift
/// let nina = try Artist.create { $0.name = "Nina Simone" }
/// try await nina.save()
/// nina.formed = Date()
/// try await Artist.saveChanges()
/// ```
///
/// Each row has one object, no matter how and from which thread it is fetched. Any thread can read
/// and set the object's properties. Changes are kept in memory until they are saved.
public protocol AutoObject: AutoRecord, AnyObject, Identifiable, Hashable where ID == Int64 {
    /// Protected by the object's lock, as ``_$state`` is.
    var _$values: _$Values { get set }
    var _$state: ObjectState { get set }
    static var _$awakes: Bool { get }
    static var _$tracksChanges: Bool { get }
    init(_$state state: consuming ObjectState)
    func _$notify(_ column: Int)
    static func _$describe(_ relations: inout RelationList)

    /// Called before a fetch returns, after the object was read or its values were updated from the
    /// file. Properties that this method sets don't count as changed.
    ///
    /// Not called for new objects. Set them up in `init`, or in the closure of `create`.
    func awakeFromFetch()

    /// Called in the transaction that saves the object, before its values are taken. Properties
    /// that this method sets are also saved.
    ///
    /// Runs on the thread that saves. Not called if the object has no changes.
    func willSave()

    /// Called on the thread that saved the object, after the transaction was committed. Properties
    /// that this method sets are unsaved changes.
    func didSave()

    /// Called in the transaction that deletes the object's row, before the row is deleted. Also
    /// called for rows that a query or a delete rule deletes, if their objects are in use.
    func willDelete()

    /// Called after the transaction that deleted the object's row was committed.
    func didDelete()
}

extension AutoObject {
    public static var _$awakes: Bool { false }
    public static var _$tracksChanges: Bool { true }
    public func _$notify(_ column: Int) {}
    public static func _$describe(_ relations: inout RelationList) {}
    /// Does nothing.
    public func awakeFromFetch() {}
    /// Does nothing.
    public func willSave() {}
    /// Does nothing.
    public func didSave() {}
    /// Does nothing.
    public func willDelete() {}
    /// Does nothing.
    public func didDelete() {}

    /// Returns whether `left` and `right` are the same object.
    public static func == (left: Self, right: Self) -> Bool { left === right }
    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The row's identifier. With ``IDPolicy/ascending``, it is 0 before the first save.
    public var id: Int64 {
        withState { state in
            if state.id == 0, Self._$declaration.ids == .random { state.id = RandomID.next() }
            return state.id
        }
    }

    /// Whether the object has unsaved changes, or was never saved. Always `true` for models with
    /// `@AutoModel(tracksChanges: false)`, until the row is deleted.
    public var hasChanges: Bool {
        locked {
            switch _$state.phase {
            case .temporary, .created: true
            case .stored:
                !Self._$tracksChanges || !_$state.dirty.isEmpty
                    || _$state.extras?.hasDirtyRelations == true
            case .deleted: false
            }
        }
    }

    /// Whether the object's row was deleted.
    public var isDeleted: Bool { withState { $0.phase == .deleted } }

    @inline(__always)
    func locked<Result>(_ body: () -> Result) -> Result {
        let lock = ObjectLocks.lock(of: self)
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// Accesses the state in place, because a copy would retain everything that the state refers
    /// to.
    @inline(__always)
    func withState<Result>(_ body: (inout ObjectState) -> Result) -> Result {
        locked { body(&_$state) }
    }

    /// Accesses the extra state that few objects have, and creates it if needed.
    func withExtras<Result>(_ body: (ObjectExtras) -> Result) -> Result {
        withState { state in
            let extras = state.extras ?? ObjectExtras()
            state.extras = extras
            return body(extras)
        }
    }
}

// Members for the accessors that the macro generates.
extension AutoObject {
    public func _$get<Value>(_ body: (_$Values) -> Value) -> Value {
        locked { body(_$values) }
    }

    /// Returns a reference that looks for its object in this object's database.
    public func _$get<Target>(_ body: (_$Values) -> Reference<Target>) -> Reference<Target> {
        locked { body(_$values).bound(to: _$state.table?.database) }
    }

    public func _$set<Value>(
        _ column: Int, _ value: Value, _ exchange: (inout _$Values, inout Value) -> Void
    ) {
        guard Self._$tracksChanges else { return setUntracked(value, exchange) }
        // The old value is released outside the lock, because its deinitializer may run any code.
        var old = value
        let (isNew, followers, former) = locked {
            let former = followedValues
            exchange(&_$values, &old)
            let (isNew, followers) = marking(column)
            return (isNew, followers, former)
        }
        notify(column, isNew, followers, former)
    }

    /// Sets a property. Setting an equal value is not a change.
    public func _$set<Value: Equatable>(
        _ column: Int, _ value: Value, _ exchange: (inout _$Values, inout Value) -> Void
    ) {
        guard Self._$tracksChanges else { return setUntracked(value, exchange) }
        while true {
            var old = value
            let edits = locked {
                // `exchange` is the only access to the stored value: the first call reads the
                // value, the second restores it.
                var new = value
                exchange(&_$values, &new)
                old = new
                exchange(&_$values, &new)
                return _$state.edits
            }
            // Compare outside the lock, because `==` may run any code.
            guard old != value else { return }
            typealias Outcome = (isNew: Bool, followers: [ObjectFollower], former: _$Values?)
            let outcome: Outcome? = locked {
                guard _$state.edits == edits else { return nil }
                let former = followedValues
                var new = value
                exchange(&_$values, &new)
                let (isNew, followers) = marking(column)
                return (isNew, followers, former)
            }
            guard let (isNew, followers, former) = outcome else { continue }
            return notify(column, isNew, followers, former)
        }
    }

    public func _$setExcluded<Value>(
        _ value: Value, _ exchange: (inout _$Values, inout Value) -> Void
    ) {
        var old = value
        locked { exchange(&_$values, &old) }
    }

    private func setUntracked<Value>(
        _ value: Value, _ exchange: (inout _$Values, inout Value) -> Void
    ) {
        // The old value is released outside the lock.
        var old = value
        locked {
            exchange(&_$values, &old)
            _$state.edits &+= 1
        }
    }

    /// Records that a column was set. The caller holds the object's lock.
    ///
    /// - Returns: Whether to add the object to its table's list of changed objects, and the
    ///   subscribers to notify.
    private func marking(_ column: Int) -> (isNew: Bool, followers: [ObjectFollower]) {
        _$state.edits &+= 1
        if let thread = _$state.extras?.awakingThread, pthread_equal(thread, pthread_self()) != 0 {
            return (false, [])
        }
        _$state.dirty.insert(column)
        let followers = _$state.extras.map { Array($0.followers.values) } ?? []
        guard _$state.table != nil, !_$state.isListed, _$state.phase != .deleted else {
            return (false, followers)
        }
        _$state.isListed = true
        return (true, followers)
    }

    /// The current values, if the object has subscribers. The caller holds the object's
    /// lock.
    private var followedValues: _$Values? {
        _$state.extras.flatMap { $0.followers.isEmpty ? nil : _$values }
    }

    private func notify(
        _ column: Int, _ isNew: Bool, _ followers: [ObjectFollower], _ former: _$Values?
    ) {
        guard isNew || !followers.isEmpty, let table = locked({ _$state.table }) else { return }
        if isNew { table.list(self) }
        guard !followers.isEmpty else { return }
        let change = ObjectChange(
            kind: .edited, columns: [table.columnNames[column]],
            oldValues: Self.stored(former, [column]))
        for follower in followers { follower(change) }
    }

    /// Returns the values of the given columns in the form that SQLite stores, by column name.
    static func stored(_ values: _$Values?, _ columns: [Int]) -> [String: SQLValue] {
        guard let values else { return [:] }
        var described = TableDescription()
        _$Values._$describe(values, &described)
        // If a value can't be stored, the description lacks its column, and the indexes of later
        // columns are wrong.
        guard described.problem == nil else { return [:] }
        return Dictionary(
            columns.map { described.columns[$0] }.compactMap { column in
                column.defaultValue.map { (column.name, $0) }
            }
        ) { first, _ in first }
    }
}
