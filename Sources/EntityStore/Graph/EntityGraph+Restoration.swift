import Replication

/// Operations that restore content that is about to be removed.
extension EntityGraph {
    func id(of entry: Entry) -> PropertyEntry.ID {
        PropertyEntry.ID(device: devices[Int(entry.device)], row: Int64(entry.row))
    }

    func id(ofEntry number: UInt32) -> PropertyEntry.ID { id(of: entries[Int(number)]) }

    /// Returns operations that restore entries.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the entries, newest first.
    ///   - made: Entities that are created again before the entries. Their initial values need no
    ///     causes.
    func restoration(of numbers: [UInt32], ofMade made: Set<UInt32> = []) -> [EntityOperation] {
        numbers.reversed().map { number in
            let entry = entries[Int(number)]
            let slot = slots[Int(entry.slot)]
            let isConflict = conflicts.contains(entry.slot)
            let isRecreated = made.contains(slot.node) && !isConflict
            let wasSet = entry.flags.contains(.isReplacing) || entry.wasSet && !isRecreated
            return EntityOperation(
                identifier: identifier(of: slot.node),
                action: .entry(
                    key: names[slot.key], value: value(of: entry),
                    tag: entry.tag == 0 ? nil : names[entry.tag]),
                date: Timestamp(microseconds: entry.date),
                side: wasSet ? side(entry, isInConflict: isConflict) : nil)
        }
    }

    /// Returns a set value in the form that restores it.
    private func side(_ entry: Entry, isInConflict: Bool) -> EntityOperation.Side {
        EntityOperation.Side(
            original: isInConflict ? id(of: original(of: entry)) : nil,
            seen: Dictionary(
                uniqueKeysWithValues: seen(by: entry).map { (devices[Int($0.key)], $0.value) }))
    }

    /// Returns operations that restore entities, their properties, and the relationships to them.
    func restoration(ofEntities nodes: [UInt32]) -> [EntityOperation] {
        var operations: [EntityOperation] = []
        var seen: Set<UInt32> = []
        var made: Set<UInt32> = []
        var related: [UInt32] = []
        for node in nodes {
            let held = self.nodes[Int(node)]
            if held.type != 0 {
                made.insert(node)
                operations.append(
                    EntityOperation(
                        identifier: identifier(of: node),
                        action: .creation(type: names[held.type]),
                        date: Timestamp(microseconds: held.date)))
            }
            for slot in sortedSlots(of: node) {
                related += visibleEntries(of: slot).reversed()
            }
            let incoming = incomingNumbers(of: node).filter { isVisible(entries[Int($0)]) }
            related += incoming.reversed()
        }
        // Entities come first, because a relationship between two of them needs both.
        for number in related where seen.insert(number).inserted {
            operations += restoration(of: [number], ofMade: made)
        }
        return operations
    }
}
