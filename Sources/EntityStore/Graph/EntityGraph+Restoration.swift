import Replication

/// What would write anew what is about to be taken away.
extension EntityGraph {
    func id(of entry: Entry) -> PropertyEntry.ID {
        PropertyEntry.ID(device: devices[Int(entry.device)], row: Int64(entry.row))
    }

    /// - Parameter numbers: Entries, newest first.
    func restoration(of numbers: [UInt32]) -> [EntityOperation] {
        numbers.reversed().map { number in
            let entry = entries[Int(number)]
            let slot = slots[Int(entry.slot)]
            return EntityOperation(
                identifier: identifier(of: slot.node),
                action: .entry(
                    key: names[slot.key], value: value(of: entry),
                    tag: entry.tag == 0 ? nil : names[entry.tag]),
                date: Timestamp(microseconds: entry.date),
                wasSet: entry.flags.contains(.isReplacing))
        }
    }

    /// Entities with their properties and the relationships to them.
    func restoration(ofEntities nodes: [UInt32]) -> [EntityOperation] {
        var operations: [EntityOperation] = []
        var seen: Set<UInt32> = []
        var related: [UInt32] = []
        for node in nodes {
            let held = self.nodes[Int(node)]
            if held.type != 0 {
                operations.append(
                    EntityOperation(
                        identifier: identifier(of: node),
                        action: .creation(type: names[held.type]),
                        date: Timestamp(microseconds: held.date)))
            }
            for slot in sortedSlots(of: node) {
                related += visibleEntries(of: slot).reversed()
            }
            var incoming: [UInt32] = []
            var next = held.firstIncoming
            while next != Self.none {
                if isVisible(entries[Int(next)]) { incoming.append(next) }
                next = entries[Int(next)].length
            }
            related += incoming.reversed()
        }
        // Entities first: a relationship between two of them must find both.
        for number in related where seen.insert(number).inserted {
            operations += restoration(of: [number])
        }
        return operations
    }
}
