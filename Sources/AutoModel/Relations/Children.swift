/// The objects that refer to this one: the inverse of a many-to-one relation.
///
/// ```swift
/// var albums = Children(of: Album.self, by: \.artist)
/// …
/// for album in try await nina.albums.objects() { … }
/// ```
///
/// The first access fetches the children with the index of the reference's column. Later accesses
/// fetch them again if rows of their table have changed. A changed reference takes effect when the
/// child is saved.
public struct Children<Child: AutoObject>: Sendable {
    let column: String
    private var owner: (any AutoObject)?
    private var slot = 0

    /// Creates the inverse of a reference.
    public init<Parent: AutoObject>(
        of child: Child.Type,
        by column: KeyPath<Child.Columns, ModelColumn<Child, Reference<Parent>>>
    ) {
        self.column = Child.Columns()[keyPath: column].name
    }

    /// Binds the relation to its object. For code that the macro generates.
    public func _$bound(to owner: any AutoObject, slot: Int, name: String) -> Children {
        var copy = self
        copy.owner = owner
        copy.slot = slot
        return copy
    }

    /// A query for the children, which you can narrow, sort or count.
    public var query: Query<Child> {
        var query = Query<Child>()
        let id = owner?.storedID ?? 0
        query.predicate = Condition("\(columnSQL(column)) = ?", [.integer(id)])
        query.database = owner?.ownTable?.database ?? query.database
        return query
    }

    /// Returns all children, in the order of their identifiers.
    ///
    /// - Throws: ``AutoModelError``.
    public func objects() throws -> FetchResult<Child> {
        guard let owner, owner.storedID != 0 else { return FetchResult([]) }
        let table = try query.table()
        let version = table.version
        let known: [Child]? = owner.withSlot(slot) { slot in
            slot.version == version ? slot.children.compactMap { $0 as? Child } : nil
        }
        if let known { return FetchResult(known) }
        let found = try query.fetch()
        keep(found.objects, version)
        return found
    }

    /// Runs `objects()` asynchronously.
    public func objects() async throws -> FetchResult<Child> {
        guard let owner, owner.storedID != 0 else { return FetchResult([]) }
        let table = try query.table()
        return try await table.performed { try self.objects() }
    }

    /// Returns the number of children.
    ///
    /// - Throws: ``AutoModelError``.
    public func count() throws -> Int { try query.count() }

    /// Runs `count()` asynchronously.
    public func count() async throws -> Int { try await query.count() }

    func keep(_ children: [Child], _ version: Version) {
        owner?.withSlot(slot) { slot in
            slot.children = children
            slot.version = version
        }
    }
}

extension AutoObject {
    /// Fetches the children of several objects at once, so that accessing them needs no further
    /// query.
    ///
    /// - Returns: All children.
    /// - Throws: ``AutoModelError``.
    @discardableResult
    public static func fetch<Child: AutoObject>(
        _ relation: (Self) -> Children<Child>, of objects: some Sequence<Self>
    ) throws -> FetchResult<Child> {
        let owners = Array(objects)
        guard let first = owners.first, first.ownTable != nil else { return FetchResult([]) }
        let table = try relation(first).query.table()
        let column = quoted(relation(first).column)
        let version = table.version
        var parents: [Int64: Int64] = [:]
        var ids: [Int64] = []
        try table.file.read { db in
            for batch in owners.map(\.storedID).batches {
                let sql = """
                    SELECT id, \(column) FROM \(quoted(table.layout.name))
                    WHERE \(column) IN \(batch.sqlList) ORDER BY id
                    """
                try db.each(once: sql) { row in
                    let id = try row.integer(0)
                    ids.append(id)
                    parents[id] = try row.integer(1)
                }
            }
        }
        let found = try table.fetch(ids)
        let groups = Dictionary(grouping: found.objects) { parents[$0.id] ?? 0 }
        for owner in owners { relation(owner).keep(groups[owner.storedID] ?? [], version) }
        return found
    }

    /// Runs `fetch(_:of:)` asynchronously.
    @discardableResult
    public static func fetch<Child: AutoObject>(
        _ relation: @escaping @Sendable (Self) -> Children<Child>, of objects: some Sequence<Self>
    ) async throws -> FetchResult<Child> {
        let owners = Array(objects)
        guard let table = owners.first?.ownTable else { return FetchResult([]) }
        return try await table.performed { try fetch(relation, of: owners) }
    }
}

/// The object that refers to this one: the inverse of a one-to-one relation.
///
/// ```swift
/// var album = Inverse(of: Album.self, by: \.cover)
/// ```
public struct Inverse<Owner: AutoObject>: Sendable {
    private var children: Children<Owner>

    /// Creates the inverse of a reference.
    public init<Target: AutoObject>(
        of owner: Owner.Type,
        by column: KeyPath<Owner.Columns, ModelColumn<Owner, Reference<Target>>>
    ) {
        children = Children(of: owner, by: column)
    }

    /// Binds the relation to its object. For code that the macro generates.
    public func _$bound(to owner: any AutoObject, slot: Int, name: String) -> Inverse {
        var copy = self
        copy.children = children._$bound(to: owner, slot: slot, name: name)
        return copy
    }

    /// Returns the object, if there is one. The relation doesn't keep it alive.
    ///
    /// - Throws: ``AutoModelError``.
    public func object() throws -> Owner? { try children.query.first() }

    /// Runs `object()` asynchronously.
    public func object() async throws -> Owner? { try await children.query.first() }
}
