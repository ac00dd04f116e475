extension AutoObject {
    /// Fetches all objects that the given objects refer to.
    ///
    /// As long as you hold the result, `object()` of these references needs no further query.
    ///
    /// ```swift
    /// let artists = try await Album.fetch(\.artist, of: albums)
    /// for album in albums { print(album.title, artists[id: album.artist.id ?? 0]?.name ?? "") }
    /// ```
    ///
    /// - Returns: The referenced objects, each once, in the order of their first references.
    /// - Throws: ``AutoModelError``.
    /// - Complexity: One query for the objects that aren't in use.
    @discardableResult
    public static func fetch<Target: AutoObject>(
        _ relation: (Self) -> Reference<Target>, of objects: some Sequence<Self>
    ) throws -> FetchResult<Target> {
        let owners = Array(objects)
        guard let database = owners.first?.ownTable?.database else { return FetchResult([]) }
        var seen: Set<Int64> = []
        let ids = owners.compactMap { relation($0).id }.filter { seen.insert($0).inserted }
        return try AutoDatabase.table(of: Target.self, in: database).fetch(ids)
    }

    /// Runs `fetch(_:of:)` asynchronously.
    @discardableResult
    public static func fetch<Target: AutoObject>(
        _ relation: @escaping @Sendable (Self) -> Reference<Target>, of objects: some Sequence<Self>
    ) async throws -> FetchResult<Target> {
        let owners = Array(objects)
        guard let table = owners.first?.ownTable else { return FetchResult([]) }
        return try await table.performed { try fetch(relation, of: owners) }
    }

    /// Fetches the many-to-many lists of several objects at once.
    ///
    /// Afterward, `objects()` of these lists needs no further query as long as you hold the result
    /// and the tables don't change. Unsaved changes of the lists stay, and aren't part of the
    /// result.
    ///
    /// - Returns: Each object of the saved lists once.
    /// - Throws: ``AutoModelError``.
    /// - Complexity: One query for the lists, and one query for the objects that aren't in use.
    @discardableResult
    public static func fetch<Target: AutoObject>(
        _ relation: (Self) -> ManyToMany<Target>, of objects: some Sequence<Self>
    ) throws -> FetchResult<Target> {
        let owners = Array(objects)
        guard let first = owners.first, let own = first.ownTable else { return FetchResult([]) }
        let targets = try AutoDatabase.table(of: Target.self, in: own.database)
        let version = relation(first).version(own, targets)
        let lists = try relation(first).lists(of: owners.map(\.storedID), own)
        var seen: Set<Int64> = []
        var ids: [Int64] = []
        for owner in owners {
            let list = lists[owner.storedID] ?? []
            relation(owner).keep(list, version)
            for id in list where seen.insert(id).inserted { ids.append(id) }
        }
        return try targets.fetch(ids)
    }

    /// Runs `fetch(_:of:)` asynchronously.
    @discardableResult
    public static func fetch<Target: AutoObject>(
        _ relation: @escaping @Sendable (Self) -> ManyToMany<Target>,
        of objects: some Sequence<Self>
    ) async throws -> FetchResult<Target> {
        let owners = Array(objects)
        guard let table = owners.first?.ownTable else { return FetchResult([]) }
        return try await table.performed { try fetch(relation, of: owners) }
    }
}
