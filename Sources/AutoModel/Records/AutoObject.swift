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
/// and set its properties. Changes are kept in memory until they are saved.
public protocol AutoObject: AutoRecord, AnyObject, Identifiable, Hashable where ID == Int64 {
    /// Protected by the object's lock, as ``_$state`` is.
    var _$values: _$Values { get set }
    var _$state: ObjectState { get set }
    static var _$awakes: Bool { get }
    init(_$state state: consuming ObjectState)
    func _$notify(_ column: Int)
    static func _$describe(_ relations: inout RelationList)

    /// Called before a fetch returns, after the object was read or its values were updated from the
    /// file. Properties set here don't count as changed.
    func awakeFromFetch()
}

extension AutoObject {
    public static var _$awakes: Bool { false }
    public func _$notify(_ column: Int) {}
    public static func _$describe(_ relations: inout RelationList) {}
    /// Does nothing.
    public func awakeFromFetch() {}

    /// Returns whether both are the same object.
    public static func == (left: Self, right: Self) -> Bool { left === right }
    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The row's identifier; 0 before the first save if the model numbers its rows.
    public var id: Int64 {
        withState { state in
            if state.id == 0, Self._$declaration.ids == .random { state.id = RandomID.next() }
            return state.id
        }
    }

    /// Whether the object has unsaved changes, or was never saved.
    public var hasChanges: Bool {
        locked {
            switch _$state.phase {
            case .temporary, .created: true
            case .stored: !_$state.dirty.isEmpty || _$state.extras?.hasDirtyRelations == true
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
        // The old value is released outside the lock, because its deinitializer may run any code.
        var old = value
        let (isNew, followers) = locked {
            exchange(&_$values, &old)
            return marking(column)
        }
        notify(column, isNew, followers)
    }

    /// Sets a property. Setting an equal value is not a change.
    public func _$set<Value: Equatable>(
        _ column: Int, _ value: Value, _ exchange: (inout _$Values, inout Value) -> Void
    ) {
        while true {
            var old = value
            let edits = locked {
                // `exchange` is the only access to the stored value: the first call reads it, the
                // second restores it.
                var new = value
                exchange(&_$values, &new)
                old = new
                exchange(&_$values, &new)
                return _$state.edits
            }
            // Outside the lock, because `==` may run any code.
            guard old != value else { return }
            let outcome: (isNew: Bool, followers: [ObjectFollower])? = locked {
                guard _$state.edits == edits else { return nil }
                var new = value
                exchange(&_$values, &new)
                return marking(column)
            }
            guard let (isNew, followers) = outcome else { continue }
            return notify(column, isNew, followers)
        }
    }

    public func _$setExcluded<Value>(
        _ value: Value, _ exchange: (inout _$Values, inout Value) -> Void
    ) {
        var old = value
        locked { exchange(&_$values, &old) }
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

    private func notify(_ column: Int, _ isNew: Bool, _ followers: [ObjectFollower]) {
        guard isNew || !followers.isEmpty, let table = locked({ _$state.table }) else { return }
        if isNew { table.list(self) }
        guard !followers.isEmpty else { return }
        let change = ObjectChange(kind: .edited, columns: [table.columnNames[column]])
        for follower in followers { follower(change) }
    }
}
