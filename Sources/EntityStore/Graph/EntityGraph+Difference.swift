import Replication

extension EntityGraph {
    /// Continues the version numbers of another graph.
    mutating func continueVersion(of other: EntityGraph) {
        version = other.version
        bumpVersion()
    }

    /// Returns the properties that are in conflict in this graph but not in `other`, which was
    /// read from other files.
    func conflicts(notIn other: EntityGraph) -> [UInt32] {
        conflicts.filter { number in
            let slot = slots[Int(number)]
            let there = other.slot(of: identifier(of: slot.node), key: names[slot.key])
            return there.map { !other.conflicts.contains($0) } ?? true
        }.sorted()
    }

    /// Returns the changes from the previous graph, which was read from other files.
    func difference(from before: EntityGraph) -> EntityChanges {
        var changes = EntityChanges(origin: .reload, rowCount: entries.count)
        for number in nodes.indices where nodes[number].flags.contains(.isAlive) {
            let identifier = identifier(of: UInt32(number))
            guard let old = before.find(identifier) else {
                changes.added.append(.identifier(identifier))
                continue
            }
            let now = record(of: UInt32(number))
            let then = before.record(of: old)
            guard now != then else { continue }
            changes.changed.append(.identifier(identifier))
            for key in Set(now.properties.keys.map { Name($0) }).union(
                then.properties.keys.map { Name($0) })
            where now.properties[key.text] != then.properties[key.text] {
                changes.keys.insert(key)
                if now.properties[key.text] == nil { changes.removedKeys.insert(key) }
            }
        }
        for number in before.nodes.indices where before.nodes[number].flags.contains(.isAlive) {
            let identifier = before.identifier(of: UInt32(number))
            if find(identifier) == nil { changes.deleted.append(.identifier(identifier)) }
        }
        return changes
    }
}
