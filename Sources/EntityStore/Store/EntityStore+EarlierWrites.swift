import Replication

/// A value that was set or removed earlier, by a writer on this device that had seen only a part of
/// the store's current contents.
package struct EarlierWrite: Sendable {
    let entity: EntityReference
    let key: String
    let value: EntityValue?
    let seen: EntityHeads?

    /// Creates a write.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` removes the property.
    ///   - seen: The state that the writer had seen, in addition to this device's own writes; `nil`
    ///     for the current state of the store.
    package init(
        _ entity: EntityReference, _ key: String, _ value: EntityValue?, seen: EntityHeads?
    ) {
        self.entity = entity
        self.key = key
        self.value = value
        self.seen = seen
    }
}

extension EntityStore {
    /// Creates entities and writes values that were set earlier, in one transaction.
    ///
    /// A value replaces the values that its writer had seen. Other values remain as sides of a
    /// conflict. A property that already has the value isn't written.
    ///
    /// - Returns: The entities that keep a value which the writer of the new value hadn't seen.
    /// - Throws: As ``add(_:)``.
    package func write(
        _ writes: [EarlierWrite], making made: [EntityReference]
    ) throws -> [EntityReference] {
        var draft = WriteDraft()
        for reference in made { _ = try existing(reference, &draft) }
        var unseen: Set<Name> = []
        for write in writes {
            let identifier = try existing(write.entity, &draft)
            if try draft.write(write, to: identifier, by: ownDevice, in: &graph) {
                unseen.insert(Name(identifier))
            }
        }
        try self.write(draft)
        return unseen.sorted().map { .identifier($0.text) }
    }

    /// Returns the entities that match a query, with the heads of each.
    ///
    /// - Throws: As ``records(_:keys:)``.
    package func recordsAndHeads(
        _ query: EntityQuery
    ) throws -> [(record: EntityRecord, heads: EntityHeads)] {
        try slice(query).map { (graph.record(of: $0, keys: nil), graph.heads(of: $0)) }
    }

    /// Returns entities with the heads of each, in the order of `references`; `nil` for missing
    /// ones.
    ///
    /// - Throws: As ``records(of:keys:)``.
    package func recordsAndHeads(
        of references: [EntityReference]
    ) throws -> [(record: EntityRecord, heads: EntityHeads)?] {
        try references.map { reference in
            try node(reference).map { (graph.record(of: $0, keys: nil), graph.heads(of: $0)) }
        }
    }

    /// Returns the identifiers whose entities were deleted, according to a log of the store. An
    /// entity that no log mentions isn't deleted: its log may be missing.
    package func deleted(among identifiers: [String]) -> Set<String> {
        Set(
            identifiers.filter { identifier in
                guard let node = graph.known(identifier) else { return false }
                let flags = graph.nodes[Int(node)].flags
                return flags.contains(.hasDeletion) && !flags.contains(.isAlive)
            })
    }
}

extension EntityGraph {
    func heads(of node: UInt32) -> EntityHeads {
        var heads = EntityHeads()
        for number in slotNumbers(of: node).flatMap({ entryNumbers(of: $0) }) {
            let entry = entries[Int(number)]
            heads.note(devices[Int(entry.device)], entry.row)
        }
        return heads
    }
}

extension WriteDraft {
    /// Writes a value that was set or removed earlier.
    ///
    /// - Returns: Whether the property keeps values that the writer hadn't seen.
    fileprivate mutating func write(
        _ write: EarlierWrite, to identifier: String, by own: DeviceID?, in graph: inout EntityGraph
    ) throws(EntityStoreError) -> Bool {
        let known =
            graph.find(identifier) == nil ? nil : graph.slot(of: identifier, key: write.key)
        let property = write.value.map { Property($0) }
        let hadSeen = { (entry: PropertyEntry.ID) in
            entry.device == own || write.seen?.includes(entry) ?? true
        }
        let entries = known.map { slot in
            graph.entryNumbers(of: slot).map { graph.id(ofEntry: $0) }.filter(hadSeen)
        }
        let visible = known.map { graph.visibleEntries(of: $0) } ?? []
        let seen = visible.map { graph.id(ofEntry: $0) }.filter(hadSeen)
        let current = known.flatMap { graph.currentEntry(of: $0) }
        if let current, let property,
            graph.property(of: graph.entries[Int(current)]).holds(property)
        {
            let id = graph.id(ofEntry: current)
            remove(seen.filter { $0 != id }, key: write.key, of: identifier, in: graph)
        } else if let property {
            if !made.contains(Name(identifier)) {
                var upTo: [DeviceID: UInt32] = [:]
                for entry in entries ?? [] {
                    upTo[entry.device] = max(
                        upTo[entry.device] ?? 0, UInt32(truncatingIfNeeded: entry.row))
                }
                begin(sideOf: write.key, of: identifier, as: EntityOperation.Side(seen: upTo))
            }
            try append(property, key: write.key, to: identifier, in: &graph)
        } else {
            remove(seen, key: write.key, of: identifier, in: graph)
        }
        return seen.count < visible.count
    }
}
