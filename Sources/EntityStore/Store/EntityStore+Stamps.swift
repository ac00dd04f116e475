public import Replication

extension EntityStore {
    /// Returns a stamp of each entity's content, by identifier. Every write to an entity changes
    /// its stamp.
    ///
    /// - Throws: The errors of `records(of:)`.
    /// - Complexity: O(*n*) in the number of entries of these entities.
    public func stamps(of identifiers: [String]) throws -> [Name: String] {
        let references = identifiers.map { EntityReference.identifier($0) }
        let records = try records(of: references)
        let entries = try entries(of: references)
        var stamps: [Name: String] = [:]
        for (place, identifier) in identifiers.enumerated() {
            let date = records[place]?.modified.iso8601 ?? "absent"
            let visible = entries[place].count { !$0.isRemoved }
            stamps[Name(identifier)] = "\(date) \(visible) \(entries[place].count)"
        }
        return stamps
    }

    /// Performs an edit unless an entity's stamp differs from the expected one. No other write of
    /// this store can come between the comparison and the edit.
    ///
    /// - Parameter expected: The stamps from ``stamps(of:)``.
    /// - Throws: The errors of ``perform(_:)``; ``EntityStoreError``, `.changedSinceRead`, in which
    ///   case nothing is written.
    public func perform(_ edit: EntityEdit, ifStampsAre expected: [Name: String]) throws -> (
        entities: [EntityReference], undo: EntityUndo
    ) {
        guard try stamps(of: expected.keys.map(\.text)) == expected else {
            throw EntityStoreError(
                .changedSinceRead, "an entity was written in the meantime")
        }
        return try perform(edit)
    }
}
