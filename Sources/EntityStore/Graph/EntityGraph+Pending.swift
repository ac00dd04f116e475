import Replication

extension EntityGraph {
    /// Applies removals, deletions and rows that arrived out of order. Call it once after a group
    /// of batches, so that each entity and property is visited once.
    mutating func applyPending() {
        for node in dirtyNodes { applyPending(node: node) }
        dirtyNodes.removeAll()
        for slot in dirtySlots { applyPending(slot: slot) }
        dirtySlots.removeAll()
    }

    private mutating func applyPending(node: UInt32) {
        nodes[Int(node)].flags.remove(.isDirty)
        let deletion = deletions[node]
        var oldest: Creation?
        var next = nodes[Int(node)].firstCreation
        while next != Self.none {
            let creation = creations[Int(next)]
            next = creation.next
            if let deletion, !isNewer(creation.stamp, deletion) { continue }
            if let known = oldest, !isNewer(known.stamp, creation.stamp) { continue }
            oldest = creation
        }
        if let oldest {
            nodes[Int(node)].type = oldest.type
            nodes[Int(node)].date = oldest.date
            nodes[Int(node)].flags.insert(.isAlive)
        } else if deletion != nil {
            nodes[Int(node)].flags.remove(.isAlive)
        }
        listed = nil
        guard deletion != nil else { return }
        var slot = nodes[Int(node)].firstSlot
        while slot != Self.none {
            markDirty(slot: slot)
            slot = slots[Int(slot)].next
        }
        var incoming = nodes[Int(node)].firstIncoming
        while incoming != Self.none {
            markDirty(slot: entries[Int(incoming)].slot)
            incoming = entries[Int(incoming)].length
        }
    }

    private mutating func applyPending(slot: UInt32) {
        slots[Int(slot)].flags.remove(.isDirty)
        let before = slots[Int(slot)].current
        let hasCover = slots[Int(slot)].flags.contains(.hasCover)
        var waiting = single[slot]
        var current = Self.none
        var setCount = 0
        var next = slots[Int(slot)].firstEntry
        while next != Self.none {
            let number = Int(next)
            next = entries[number].next
            if hasCover,
                let limit = covers[SlotDevice(slot: slot, device: entries[number].device)],
                entries[number].row <= limit
            {
                entries[number].flags.insert(.isRemoved)
            }
            if waiting != nil {
                let key = Self.singleKey(entries[number].device, entries[number].row)
                if waiting?.remove(key) != nil { entries[number].flags.insert(.isRemoved) }
            }
            guard isVisible(entries[number]) else { continue }
            if entries[number].wasSet { setCount += 1 }
            if current == Self.none || isNewer(entries[number], entries[Int(current)]) {
                current = UInt32(number)
            }
        }
        if waiting != nil { single[slot] = waiting?.isEmpty == true ? nil : waiting }
        note(conflict: setCount > 1 && sidesDiffer(of: slot), about: slot)
        guard current != before else { return }
        slots[Int(slot)].current = current
        touch(slot: slot)
    }

    /// Returns the changes since tracking began and clears the lists.
    mutating func takeChanges(
        origin: EntityChanges.Origin, rowCount: Int, written: Timestamp?
    ) -> EntityChanges {
        var changes = EntityChanges(origin: origin, rowCount: rowCount, written: written)
        for node in touchedNodes {
            let flags = nodes[Int(node)].flags
            nodes[Int(node)].flags.subtract([.isTouched, .wasAlive])
            let reference = EntityReference.identifier(names[nodes[Int(node)].name])
            switch (flags.contains(.wasAlive), flags.contains(.isAlive)) {
            case (false, true): changes.added.append(reference)
            case (true, false): changes.deleted.append(reference)
            case (true, true): changes.changed.append(reference)
            case (false, false): break
            }
        }
        let added = Set(changes.added)
        for slot in touchedSlots {
            slots[Int(slot)].flags.remove(.isTouched)
            let node = nodes[Int(slots[Int(slot)].node)]
            guard node.flags.contains(.isAlive),
                added.isEmpty || !added.contains(.identifier(names[node.name]))
            else { continue }
            let key = Name(names[slots[Int(slot)].key])
            changes.keys.insert(key)
            if slots[Int(slot)].current == Self.none { changes.removedKeys.insert(key) }
        }
        touchedNodes.removeAll()
        touchedSlots.removeAll()
        return changes
    }
}
