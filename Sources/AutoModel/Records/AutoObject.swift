import Glibc

/// A class whose objects are the rows of a table.
///
/// One row has one object, whichever way and from whichever thread it was fetched. Its properties can
/// be read and set from any thread; what was set is remembered until it is saved.
public protocol AutoObject: AutoRecord, AnyObject, Identifiable, Hashable where ID == Int64 {
    /// Protected, as ``_$state``, by the object's lock.
    var _$values: _$Values { get set }
    var _$state: ObjectState { get set }
    static var _$awakes: Bool { get }
    init(_$state state: consuming ObjectState)
    func _$notify(_ column: Int)
    static func _$describe(_ relations: inout RelationList)

    /// Called after the object was read, and after it was read again with other values, before
    /// whoever asked gets it. What it sets counts as no change.
    func awakeFromFetch()
}

extension AutoObject {
    public static var _$awakes: Bool { false }
    public func _$notify(_ column: Int) {}
    public static func _$describe(_ relations: inout RelationList) {}
    /// Nothing.
    public func awakeFromFetch() {}

    public static func == (left: Self, right: Self) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// What tells its row from others. 0 until it is saved, where rows are numbered.
    public var id: Int64 {
        withState { state in
            if state.id == 0, Self._$declaration.ids == .random { state.id = RandomID.next() }
            return state.id
        }
    }

    /// Whether something was set since it was saved or read, or it was never saved.
    public var hasChanges: Bool {
        locked {
            switch _$state.phase {
            case .temporary, .created: true
            case .stored: !_$state.dirty.isEmpty || _$state.extras?.hasDirtyRelations == true
            case .deleted: false
            }
        }
    }

    /// Whether its row was deleted.
    public var isDeleted: Bool { withState { $0.phase == .deleted } }

    @inline(__always)
    func locked<Result>(_ body: () -> Result) -> Result {
        let lock = ObjectLocks.lock(of: self)
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// Looks at the state where it is: read as a value it would be copied with all that it holds.
    @inline(__always)
    func withState<Result>(_ body: (inout ObjectState) -> Result) -> Result {
        locked { body(&_$state) }
    }

    /// Uses what only a few objects have, which makes it if it is not there.
    func withExtras<Result>(_ body: (ObjectExtras) -> Result) -> Result {
        withState { state in
            let extras = state.extras ?? ObjectExtras()
            state.extras = extras
            return body(extras)
        }
    }
}

// What the accessors do that the macro makes.
extension AutoObject {
    public func _$get<Value>(_ body: (_$Values) -> Value) -> Value {
        locked { body(_$values) }
    }

    /// A reference knows whose it is, to find its object in the same database.
    public func _$get<Target>(_ body: (_$Values) -> Reference<Target>) -> Reference<Target> {
        locked { body(_$values).bound(to: _$state.table?.database) }
    }

    public func _$set<Value>(
        _ column: Int, _ value: Value, _ exchange: (inout _$Values, inout Value) -> Void
    ) {
        // What was there is let go of after the lock: its end may run code of anybody.
        var old = value
        let (isNew, followers) = locked {
            exchange(&_$values, &old)
            return marking(column)
        }
        tell(column, isNew, followers)
    }

    /// What is equal to what is there is no change.
    public func _$set<Value: Equatable>(
        _ column: Int, _ value: Value, _ exchange: (inout _$Values, inout Value) -> Void
    ) {
        while true {
            var old = value
            let edits = locked {
                // There is no reading it but by exchanging it twice.
                var new = value
                exchange(&_$values, &new)
                old = new
                exchange(&_$values, &new)
                return _$state.edits
            }
            // Outside the lock, because equality may be anybody's code.
            guard old != value else { return }
            let outcome: (isNew: Bool, followers: [ObjectFollower])? = locked {
                guard _$state.edits == edits else { return nil }
                var new = value
                exchange(&_$values, &new)
                return marking(column)
            }
            guard let (isNew, followers) = outcome else { continue }
            return tell(column, isNew, followers)
        }
    }

    public func _$setExcluded<Value>(
        _ value: Value, _ exchange: (inout _$Values, inout Value) -> Void
    ) {
        var old = value
        locked { exchange(&_$values, &old) }
    }

    /// Notes, under the lock, that a column was set.
    /// - Returns: Whether the object is to be put on its table's list of changed ones, and whom to
    ///   tell.
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

    private func tell(_ column: Int, _ isNew: Bool, _ followers: [ObjectFollower]) {
        guard isNew || !followers.isEmpty, let table = locked({ _$state.table }) else { return }
        if isNew { table.list(self) }
        guard !followers.isEmpty else { return }
        let change = ObjectChange(kind: .edited, columns: [table.columnNames[column]])
        for follower in followers { follower(change) }
    }
}
