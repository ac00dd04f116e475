extension AutoObject {
    /// Returns the object with the given identifier, or a new one that the next `saveChanges`
    /// saves.
    ///
    /// An existing object has a row, or was created and isn't saved yet.
    ///
    /// ```swift
    /// for entry in feed {
    ///     try Article.create(id: entry.id) { $0.title = entry.title }
    /// }
    /// try database.saveAllChanges()
    /// ```
    ///
    /// - Parameters:
    ///   - id: The identifier. If `nil`, the object is new, and its identifier follows the model's
    ///     ``IDPolicy``.
    ///   - prepare: Sets values of the object. Also called for existing objects.
    /// - Throws: ``AutoModelError`` with code `.notOpen` if no open database has the model, or with
    ///   another code if the row can't be read.
    /// - Complexity: O(log *n*) in the rows of the table if you pass an `id`; otherwise O(1).
    @discardableResult
    public static func create(
        id: Int64? = nil, _ prepare: (Self) throws -> Void = { _ in }
    ) throws -> Self {
        let table = try AutoDatabase.table(of: Self.self)
        let object = try id.map { try table.fetchOrCreate($0) } ?? table.create()
        try prepare(object)
        return object
    }

    /// Runs `create(id:_:)` asynchronously, except `prepare`, which runs on the caller's actor.
    @discardableResult
    public static func create(
        id: Int64, isolation: isolated (any Actor)? = #isolation,
        _ prepare: (Self) throws -> Void = { _ in }
    ) async throws -> Self {
        let table = try AutoDatabase.table(of: Self.self)
        let object = try await table.performed { try table.fetchOrCreate(id) }
        try prepare(object)
        return object
    }

    /// Returns the objects with these identifiers, in the order of `ids`. Missing ones are left
    /// out.
    ///
    /// - Throws: ``AutoModelError``.
    public static func fetch(_ ids: [Int64]) throws -> FetchResult<Self> {
        try AutoDatabase.table(of: Self.self).fetch(ids)
    }

    /// Runs `fetch(_:)` asynchronously.
    public static func fetch(_ ids: [Int64]) async throws -> FetchResult<Self> {
        try await AutoDatabase.table(of: Self.self).fetch(ids)
    }

    /// Returns the object with the given identifier, if there is one.
    ///
    /// - Throws: ``AutoModelError``.
    public static func fetch(_ id: Int64) throws -> Self? { try fetch([id]).first }

    /// Runs `fetch(_:)` asynchronously.
    public static func fetch(_ id: Int64) async throws -> Self? { try await fetch([id]).first }

    /// Saves this object: inserts its row, or updates the changed columns.
    ///
    /// - Throws: ``AutoModelError``. Unsaved changes stay in memory.
    public func save() throws { try Self.save([self]) }

    /// Runs `save()` asynchronously.
    public func save() async throws { try await Self.save([self]) }

    /// Saves all of the objects or none, in one transaction, at about the cost of saving one
    /// object.
    ///
    /// - Throws: ``AutoModelError``. Unsaved changes stay in memory.
    public static func save(_ objects: some Sequence<Self>) throws {
        for (table, objects) in try grouped(Array(objects)) {
            try table.file.write { try table.save(objects, in: $0) }
        }
    }

    /// Runs `save(_:)` asynchronously.
    public static func save(_ objects: some Sequence<Self>) async throws {
        for (table, objects) in try grouped(Array(objects)) {
            try await table.performed { try table.file.write { try table.save(objects, in: $0) } }
        }
    }

    /// Saves all changed objects of this model, in one transaction.
    ///
    /// If an object can't be saved, the others are saved anyway. The object keeps its changes, and
    /// the next save includes it again, unless you call ``discardChanges()-swift.method``.
    ///
    /// - Throws: ``AutoModelError`` that names the objects that weren't saved.
    public static func saveChanges() throws {
        let table = try AutoDatabase.table(of: Self.self)
        guard table.hasListed else { return }
        try table.saveListed()
    }

    /// Runs `saveChanges()` asynchronously.
    public static func saveChanges() async throws {
        let table = try AutoDatabase.table(of: Self.self)
        guard table.hasListed else { return }
        try await table.performed { try table.saveListed() }
    }

    /// Deletes the row of this object, and applies the delete rules of references to it.
    ///
    /// - Throws: ``AutoModelError``.
    public func delete() throws { try Self.delete([self]) }

    /// Runs `delete()` asynchronously.
    public func delete() async throws { try await Self.delete([self]) }

    /// Deletes the rows of objects in one transaction.
    ///
    /// - Throws: ``AutoModelError``.
    public static func delete(_ objects: some Sequence<Self>) throws {
        for (table, objects) in try grouped(Array(objects)) {
            try table.file.write { try table.delete(objects, in: $0) }
        }
    }

    /// Runs `delete(_:)` asynchronously.
    public static func delete(_ objects: some Sequence<Self>) async throws {
        for (table, objects) in try grouped(Array(objects)) {
            try await table.performed { try table.file.write { try table.delete(objects, in: $0) } }
        }
    }

    /// Groups objects by table. Objects without a table belong to the model's table.
    private static func grouped(_ objects: [Self]) throws -> [(ModelTable<Self>, [Self])] {
        var groups: [(table: ModelTable<Self>, objects: [Self])] = []
        for object in objects {
            let own = object.locked { object._$state.table }
            if let last = groups.last, own === last.table {
                groups[groups.count - 1].objects.append(object)
                continue
            }
            let table = try own as? ModelTable<Self> ?? AutoDatabase.table(of: Self.self)
            if groups.last?.table === table {
                groups[groups.count - 1].objects.append(object)
            } else {
                groups.append((table, [object]))
            }
        }
        return groups
    }

    /// Drops unsaved changes and reads the row again.
    ///
    /// - Throws: ``AutoModelError`` with code `.noRow` if there is no row.
    public func reload() throws { try reloaded() }

    /// Runs `reload()` asynchronously.
    public func reload() async throws {
        guard let table = ownTable as? ModelTable<Self> else { return }
        try await table.performed { try self.reloaded() }
    }

    private func reloaded() throws {
        guard let table = ownTable as? ModelTable<Self>, isStored else { return }
        guard try table.revert(self) else {
            throw AutoModelError(
                .noRow, "\(table.file.path): the row \(id) of '\(table.layout.name)' is missing",
                ids: [id], objects: [self])
        }
    }

    /// Drops unsaved changes, so that no later save includes this object.
    ///
    /// An object with a row is read again. If the row was deleted, by this program or another
    /// process, the object counts as deleted. An object that was never saved keeps its values and
    /// no longer belongs to the database, like an object made with `init`.
    ///
    /// ```swift
    /// do {
    ///     try database.saveAllChanges()
    /// } catch let error as AutoModelError {
    ///     for object in error.objects { try object.discardChanges() }
    /// }
    /// ```
    ///
    /// - Throws: ``AutoModelError`` if the row can't be read. The changes are dropped anyway.
    public func discardChanges() throws {
        guard let table = ownTable as? ModelTable<Self> else { return }
        try table.discardChanges(of: self)
    }

    /// Runs `discardChanges()` asynchronously.
    public func discardChanges() async throws {
        guard let table = ownTable as? ModelTable<Self> else { return }
        try await table.performed { try table.discardChanges(of: self) }
    }
}

extension ModelTable {
    func fetch(_ ids: [Int64]) async throws -> FetchResult<Model> {
        try await performed { try self.fetch(ids) }
    }

    func saveListed() throws { try file.write { try saveListed(in: $0) }.throwIfAny() }

    func discardChanges(of object: Model) throws {
        later.withLock { $0.deleting[ObjectIdentifier(object)] = nil }
        let isNew = object.withState { state in
            guard state.phase == .created else { return false }
            state.leaveCache(object)
            state.table = nil
            state.phase = .temporary
            state.isListed = false
            return true
        }
        if isNew {
            listed.withLock { $0.remove(object) }
        } else if object.isStored {
            _ = try revert(object)
        }
    }

    /// Drops unsaved changes and reads the row again.
    ///
    /// - Returns: Whether there is a row. If there is none, the object counts as deleted.
    func revert(_ object: Model) throws -> Bool {
        object.withState { state in
            state.dirty = .empty
            for slot in (state.extras?.relations ?? [:]).values { slot.isDirty = false }
            state.isListed = false
            state.generation = 0
        }
        listed.withLock { $0.remove(object) }
        guard try fetch([object.id]).first != nil else {
            markDeleted(object)
            return false
        }
        return true
    }
}
