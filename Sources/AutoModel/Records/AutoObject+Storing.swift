extension AutoObject {
    /// A new object that the next `saveChanges` saves.
    ///
    /// - Parameters:
    ///   - id: An identifier of your own; by default it gets one as its model declares.
    ///   - prepare: Sets its first values.
    /// - Throws: ``AutoModelError`` where no open database has the model.
    public static func create(
        id: Int64? = nil, _ prepare: (Self) throws -> Void = { _ in }
    ) throws -> Self {
        let object = try AutoDatabase.table(of: Self.self).create(id: id)
        try prepare(object)
        return object
    }

    /// The objects with these identifiers, in their order, without those that are not there.
    /// - Throws: ``AutoModelError``.
    public static func fetch(_ ids: [Int64]) throws -> FetchResult<Self> {
        try AutoDatabase.table(of: Self.self).fetch(ids)
    }

    /// The objects with these identifiers, in their order, without those that are not there.
    /// - Throws: ``AutoModelError``.
    public static func fetch(_ ids: [Int64]) async throws -> FetchResult<Self> {
        try await AutoDatabase.table(of: Self.self).fetch(ids)
    }

    /// The object with that identifier, if it is there.
    /// - Throws: ``AutoModelError``.
    public static func fetch(_ id: Int64) throws -> Self? { try fetch([id]).first }

    /// The object with that identifier, if it is there.
    /// - Throws: ``AutoModelError``.
    public static func fetch(_ id: Int64) async throws -> Self? { try await fetch([id]).first }

    /// Saves this object: inserts its row, or updates what was set since it was read or saved.
    ///
    /// - Throws: ``AutoModelError``; what could not be saved stays to be saved.
    public func save() throws { try Self.save([self]) }

    /// Saves this object: inserts its row, or updates what was set since it was read or saved.
    ///
    /// - Throws: ``AutoModelError``; what could not be saved stays to be saved.
    public func save() async throws { try await Self.save([self]) }

    /// Saves objects in one transaction, which costs about what saving one does.
    ///
    /// - Throws: ``AutoModelError``; what could not be saved stays to be saved.
    public static func save(_ objects: some Sequence<Self>) throws {
        for (table, objects) in try grouped(Array(objects)) {
            try table.file.write { try table.save(objects, in: $0) }
        }
    }

    /// Saves objects in one transaction, which costs about what saving one does.
    ///
    /// - Throws: ``AutoModelError``; what could not be saved stays to be saved.
    public static func save(_ objects: some Sequence<Self>) async throws {
        for (table, objects) in try grouped(Array(objects)) {
            try await table.performed { try table.file.write { try table.save(objects, in: $0) } }
        }
    }

    /// Saves all that was set in objects of this model, in one transaction.
    ///
    /// - Throws: ``AutoModelError``; what could not be saved stays to be saved.
    public static func saveChanges() throws {
        let table = try AutoDatabase.table(of: Self.self)
        guard table.hasListed else { return }
        try table.file.write { try table.saveListed(in: $0) }
    }

    /// Saves all that was set in objects of this model, in one transaction.
    ///
    /// - Throws: ``AutoModelError``; what could not be saved stays to be saved.
    public static func saveChanges() async throws {
        let table = try AutoDatabase.table(of: Self.self)
        guard table.hasListed else { return }
        try await table.performed { try table.file.write { try table.saveListed(in: $0) } }
    }

    /// Deletes the row of this object, and does with those that refer to it what the references say.
    ///
    /// - Throws: ``AutoModelError``.
    public func delete() throws { try Self.delete([self]) }

    /// Deletes the row of this object, and does with those that refer to it what the references say.
    ///
    /// - Throws: ``AutoModelError``.
    public func delete() async throws { try await Self.delete([self]) }

    /// Deletes the rows of objects in one transaction.
    ///
    /// - Throws: ``AutoModelError``.
    public static func delete(_ objects: some Sequence<Self>) throws {
        for (table, objects) in try grouped(Array(objects)) {
            try table.file.write { try table.delete(objects, in: $0) }
        }
    }

    /// Deletes the rows of objects in one transaction.
    ///
    /// - Throws: ``AutoModelError``.
    public static func delete(_ objects: some Sequence<Self>) async throws {
        for (table, objects) in try grouped(Array(objects)) {
            try await table.performed { try table.file.write { try table.delete(objects, in: $0) } }
        }
    }

    /// Objects by the tables they belong to; those of none belong to the model's.
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

    /// Forgets what was set and reads the row again.
    ///
    /// - Throws: ``AutoModelError`` with code `.noRow` where there is none.
    public func reload() throws {
        guard let table = locked({ _$state.table }) as? ModelTable<Self>, isStored else { return }
        try table.reload(self)
    }
}

extension ModelTable {
    func fetch(_ ids: [Int64]) async throws -> FetchResult<Model> {
        try await performed { try self.fetch(ids) }
    }

    func performed<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result { try await database.perform(on: file, body) }

    func reload(_ object: Model) throws {
        object.locked {
            object._$state.dirty = .empty
            object._$state.isListed = false
            object._$state.generation = 0
        }
        listed.withLock { $0.remove(object) }
        guard try fetch([object.id]).first != nil else {
            markDeleted(object)
            throw AutoModelError(
                .noRow, "\(file.path): the row \(object.id) of '\(layout.name)' is not there",
                ids: [object.id])
        }
    }
}
