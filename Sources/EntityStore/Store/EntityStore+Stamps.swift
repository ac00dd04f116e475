public import Replication

extension EntityStore {
    /// What entities look like now, by identifier: another text once anybody has written one.
    ///
    /// - Throws: As `records(of:)`.
    /// - Complexity: O(the entries of these entities).
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

    /// Makes an edit, unless an entity looks otherwise than somebody expects. Nobody comes between
    /// the comparison and the write.
    ///
    /// - Parameter expected: What ``stamps(of:)`` said.
    /// - Throws: As ``perform(_:)``; ``EntityStoreError``, `.changedMeanwhile`: nothing is written.
    public func perform(_ edit: EntityEdit, ifStampsAre expected: [Name: String]) throws -> (
        entities: [EntityReference], undo: EntityUndo
    ) {
        guard try stamps(of: expected.keys.map(\.text)) == expected else {
            throw EntityStoreError(
                .changedMeanwhile, "it was written by another device in the meantime")
        }
        return try perform(edit)
    }
}
