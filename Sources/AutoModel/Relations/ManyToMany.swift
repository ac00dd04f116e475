/// An ordered list of objects of the owner's or another model: a many-to-many relation.
///
/// ```swift
/// @AutoModel final class Song {
///     var singers = ManyToMany(Artist.self)
/// }
/// @AutoModel final class Artist {
///     var songs = ManyToMany(Song.self, inverse: "singers")
/// }
/// …
/// song.singers.set([nina, miriam])
/// try await song.save()
/// ```
///
/// The list is stored in a table `Song_singers`. Two models can have several such relations.
/// Changes are saved with the object. An inverse contains the objects whose lists contain this
/// object, in the order of their identifiers. An inverse can't be set.
public struct ManyToMany<Target: AutoObject>: Sendable {
    let repeats: Bool
    let inverse: String?
    private var owner: (any AutoObject)?
    private var slot = 0
    private var name = ""

    /// Creates a list that belongs to this object.
    ///
    /// - Parameter repeats: Whether an object may be in the list more than once. If not, only the
    ///   first occurrence of the object is kept.
    public init(_ target: Target.Type, repeats: Bool = true) {
        self.repeats = repeats
        inverse = nil
    }

    /// Creates the inverse of another model's list.
    ///
    /// - Parameter name: The name of the list's property.
    public init(_ target: Target.Type, inverse name: String) {
        repeats = true
        inverse = name
    }

    /// Binds the relation to its object. For code that the macro generates.
    public func _$bound(to owner: any AutoObject, slot: Int, name: String) -> ManyToMany {
        var copy = self
        copy.owner = owner
        copy.slot = slot
        copy.name = name
        return copy
    }

    /// Returns the objects, in order, including unsaved changes.
    ///
    /// - Throws: ``AutoModelError``.
    public func objects() throws -> FetchResult<Target> { try found() }

    private func found() throws -> FetchResult<Target> {
        guard let owner else { return FetchResult([]) }
        let listed: [PendingObject]? = owner.withSlot(slot) { $0.isDirty ? $0.listed : nil }
        if let listed {
            return FetchResult(try resolved(listed))
        }
        guard owner.storedID != 0 else { return FetchResult([]) }
        return try table(of: owner).fetch(try ids(in: owner))
    }

    /// Runs `objects()` asynchronously.
    public func objects() async throws -> FetchResult<Target> {
        // The list of an object without a database isn't in a file.
        guard let table = owner?.ownTable else { return try found() }
        return try await table.performed { try self.objects() }
    }

    /// A query for the objects of the saved list, in the order of their identifiers. Each object is
    /// in the result once. You can narrow, sort or count the query.
    ///
    /// The query throws an error if the models of the list are in different files.
    public var query: Query<Target> {
        var query = Query<Target>()
        query.database = owner?.ownTable?.database ?? query.database
        query.predicate = condition
        return query
    }

    private var condition: Condition {
        guard let owner, let own = owner.ownTable, owner.storedID != 0 else {
            return Condition("0", [])
        }
        do {
            let targets = try table(of: owner)
            guard own.file === targets.file else {
                let names = "'\(own.layout.name)' and '\(targets.layout.name)'"
                return Condition("0", [], problem: "\(names) are in different files")
            }
            let link = link(own, targets)
            return Condition(
                "\(columnSQL("id")) IN (SELECT \(link.target) FROM \(link.table) WHERE \(link.owner) = ?)",
                [.integer(owner.storedID)], isLocal: false)
        } catch {
            return Condition("0", [], problem: "\(error)")
        }
    }

    /// Returns the number of objects, including unsaved changes and repeats.
    ///
    /// - Throws: ``AutoModelError``.
    public func count() throws -> Int { try counted() }

    private func counted() throws -> Int {
        guard let owner else { return 0 }
        if let changed = owner.withSlot(slot, { $0.isDirty ? $0.listed.count : nil }) {
            return changed
        }
        return try owner.storedID == 0 ? 0 : ids(in: owner).count
    }

    /// Runs `count()` asynchronously.
    public func count() async throws -> Int {
        guard let table = owner?.ownTable else { return try counted() }
        return try await table.performed { try self.counted() }
    }

    /// Replaces the list. The next save of the owner writes the list.
    public func set(_ objects: some Sequence<Target>) {
        guard let owner, inverse == nil else { return }
        var seen: Set<ObjectIdentifier> = []
        let kept = objects.filter { repeats || seen.insert(ObjectIdentifier($0)).inserted }
        let listed = kept.map { PendingObject($0) }
        owner.withSlot(slot) { slot in
            slot.listed = listed
            slot.isDirty = true
        }
        owner.listForSaving()
    }

    /// Appends an object. The next save writes the list.
    ///
    /// - Throws: ``AutoModelError`` if the list can't be read.
    public func append(_ object: Target) throws { set(try objects() + [object]) }

    /// Runs `append(_:)` asynchronously.
    public func append(_ object: Target) async throws { set(try await objects() + [object]) }

    /// Removes all occurrences of an object from the list. The next save writes the list.
    ///
    /// - Throws: ``AutoModelError`` if the list can't be read.
    public func remove(_ object: Target) throws { set(try objects().filter { $0 !== object }) }

    /// Runs `remove(_:)` asynchronously.
    public func remove(_ object: Target) async throws {
        set(try await objects().filter { $0 !== object })
    }

    func table(of owner: any AutoObject) throws -> ModelTable<Target> {
        try AutoDatabase.table(of: Target.self, in: owner.ownTable?.database)
    }

    private func resolved(_ listed: [PendingObject]) throws -> [Target] {
        let fetched = try owner.map { owner in
            try owner.ownTable == nil ? [:] : table(of: owner).fetch(listed.map(\.storedID)).byID
        }
        return listed.compactMap { $0.object as? Target ?? fetched?[$0.storedID] }
    }

    /// Returns the identifiers of the saved list. If they were fetched for several objects at once
    /// and no table of the relation has changed since then, they aren't read again.
    private func ids(in owner: any AutoObject) throws -> [Int64] {
        guard let own = owner.ownTable else { return [] }
        // Changes of an open transaction have no version until the commit, so they would be missed.
        if own.file.currentSession == nil {
            let version = try version(own, table(of: owner))
            let known: [Int64]? = owner.withSlot(slot) { $0.version == version ? $0.ids : nil }
            if let known { return known }
        }
        return try lists(of: [owner.storedID], own)[owner.storedID] ?? []
    }

    /// The table of a relation, and the names of its columns from the side of the owner.
    private struct Link {
        let table: String
        let owner: String
        let target: String
        let order: String
    }

    private func link(_ own: any AnyTable, _ targets: any AnyTable) -> Link {
        if let inverse {
            return Link(
                table: quoted("\(targets.layout.name)_\(inverse)"), owner: "target",
                target: "owner", order: "owner")
        }
        return Link(
            table: quoted("\(own.layout.name)_\(name)"), owner: "owner", target: "target",
            order: "place")
    }

    /// Returns a value that changes when one of the relation's two tables changes. It also changes
    /// with the relation's lists, because they are saved and deleted with rows of these tables.
    func version(_ own: any AnyTable, _ targets: any AnyTable) -> Version {
        let (left, right) = (own.version, targets.version)
        return Version(
            own: left.own &+ right.own, foreign: left.foreign &+ right.foreign)
    }

    /// Returns the saved lists of objects in this relation, by the objects' identifiers.
    func lists(of owners: [Int64], _ own: any AnyTable) throws -> [Int64: [Int64]] {
        let targets = try AutoDatabase.table(of: Target.self, in: own.database)
        let link = link(own, targets)
        let file = inverse == nil ? own.file : targets.file
        let distinct = inverse == nil ? "" : "DISTINCT "
        var lists: [Int64: [Int64]] = [:]
        try file.read { db in
            for batch in owners.batches {
                let sql = """
                    SELECT \(distinct)\(link.owner), \(link.target) FROM \(link.table)
                    WHERE \(link.owner) IN \(batch.sqlList) ORDER BY \(link.order)
                    """
                try db.each(once: sql) { row in
                    lists[try row.integer(0), default: []].append(try row.integer(1))
                }
            }
        }
        return lists
    }

    func keep(_ ids: [Int64], _ version: Version) {
        owner?.withSlot(slot) { slot in
            slot.ids = ids
            slot.version = version
        }
    }
}

extension PendingObject {
    /// The identifier of a saved object; otherwise 0.
    var storedID: Int64 { object.map { $0.storedID } ?? id }
}

extension AutoObject {
    /// Adds the object to the list for the next `saveChanges`.
    func listForSaving() {
        let table: (any AnyTable)? = locked {
            guard _$state.table != nil, !_$state.isListed, _$state.phase != .deleted else {
                return nil
            }
            _$state.isListed = true
            return _$state.table
        }
        table?.list(self)
    }
}
