/// An ordered list of objects of the same or another model: a many-to-many relation.
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
/// The list is stored in a table `Song_singers`. Two models may have several such relations.
/// Changes are saved with the object. An inverse lists the objects whose lists contain this one, in
/// the order of their identifiers, and can't be set.
public struct ManyToMany<Target: AutoObject>: Sendable {
    let repeats: Bool
    let inverse: String?
    private var owner: (any AutoObject)?
    private var slot = 0
    private var name = ""

    /// Creates a list that belongs to this object.
    ///
    /// - Parameter repeats: Whether an object may be in the list more than once. If not, only its
    ///   first place is kept.
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
        let id = owner.storedID
        guard id != 0 else { return FetchResult([]) }
        return try table(of: owner).fetch(try ids(of: id, in: owner))
    }

    /// Returns the objects, in order, including unsaved changes.
    ///
    /// - Throws: ``AutoModelError``.
    public func objects() async throws -> FetchResult<Target> {
        // An object without a database doesn't use a file.
        guard let table = owner?.ownTable else { return try found() }
        return try await table.database.perform(on: table.file) { try self.objects() }
    }

    /// Replaces the list. The next save of its owner writes it.
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

    /// Removes all occurrences of an object from the list. The next save writes the list.
    ///
    /// - Throws: ``AutoModelError`` if the list can't be read.
    public func remove(_ object: Target) throws { set(try objects().filter { $0 !== object }) }

    private func table(of owner: any AutoObject) throws -> ModelTable<Target> {
        try AutoDatabase.table(of: Target.self, in: owner.ownTable?.database)
    }

    private func resolved(_ listed: [PendingObject]) throws -> [Target] {
        let fetched = try owner.map { owner in
            try owner.ownTable == nil ? [:] : table(of: owner).fetch(listed.map(\.storedID)).byID
        }
        return listed.compactMap { $0.object as? Target ?? fetched?[$0.storedID] }
    }

    private func ids(of id: Int64, in owner: any AutoObject) throws -> [Int64] {
        guard let own = owner.ownTable else { return [] }
        if let inverse {
            let other = try table(of: owner)
            let link = quoted("\(other.layout.name)_\(inverse)")
            return try other.file.read {
                try $0.ids(
                    "SELECT DISTINCT owner FROM \(link) WHERE target = ? ORDER BY owner",
                    [.integer(id)])
            }
        }
        let link = quoted("\(own.layout.name)_\(name)")
        return try own.file.read {
            try $0.ids(
                "SELECT target FROM \(link) WHERE owner = ? ORDER BY place", [.integer(id)])
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
