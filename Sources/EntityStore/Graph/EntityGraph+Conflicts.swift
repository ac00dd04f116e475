import Replication

/// Properties that several devices set, none of them knowing of the others.
///
/// Setting takes back what its writer had seen, so that of sets which know of each other one value is
/// left. Where several are, each of which was set, they did not. What an entity was made with was set
/// too, knowing of nothing: whoever makes one has not seen it. A value that was added says nothing of
/// what its writer knew, and is in conflict with none; so do several that the making of an entity gave
/// one property.
extension EntityGraph {
    /// The values that devices set, of a property that is in conflict or could be: newest first.
    func sides(of slot: UInt32) -> [UInt32] {
        visibleEntries(of: slot).filter { entries[Int($0)].wasSet }
    }

    func sidesDiffer(of slot: UInt32) -> Bool {
        guard nodes[Int(slots[Int(slot)].node)].flags.contains(.isAlive) else { return false }
        let values = sides(of: slot).map { property(of: entries[Int($0)]) }
        return values.dropFirst().contains {
            $0.value != values[0].value || Name($0.type) != Name(values[0].type)
        }
    }

    mutating func note(conflict: Bool, about slot: UInt32) {
        guard conflict != conflicts.contains(slot) else { return }
        if isTracking, conflictsBefore[slot] == nil { conflictsBefore[slot] = !conflict }
        if conflict {
            conflicts.insert(slot)
        } else {
            conflicts.remove(slot)
        }
    }

    /// The properties that are in conflict now and were not, and the other way round, since this was
    /// asked last.
    mutating func takeConflictChanges() -> (begun: [UInt32], ended: [UInt32]) {
        let changed = conflictsBefore.filter { conflicts.contains($0.key) != $0.value }
        conflictsBefore.removeAll()
        return (changed.filter { !$0.value }.keys.sorted(), changed.filter(\.value).keys.sorted())
    }

    func conflict(about slot: UInt32) -> EntityConflict {
        let node = slots[Int(slot)].node
        let sides = sides(of: slot)
        let history = history(of: slot)
        let ids = Set(sides.map { id(of: entries[Int($0)]) })
        let base = base(of: sides, in: slot).map { id(of: entries[Int($0)]) }
        return EntityConflict(
            identifier: identifier(of: node), type: names[nodes[Int(node)].type],
            key: names[slots[Int(slot)].key],
            sides: history.filter { ids.contains($0.id) },
            base: base.flatMap { id in history.first { $0.id == id } })
    }

    /// The value written last of those that every side took the place of. Datestamps say nothing
    /// here: what was taken back and written anew keeps its old one.
    ///
    /// - Complexity: O(*s* × *d* + *n*) in the sides, the devices that each had seen, and the entries
    ///   of the property.
    private func base(of sides: [UInt32], in slot: UInt32) -> UInt32? {
        guard let limits = seenByAll(sides) else { return nil }
        var base: UInt32?
        var next = slots[Int(slot)].firstEntry
        while next != Self.none {
            let number = next
            let entry = entries[Int(number)]
            next = entry.next
            guard let limit = limits[entry.device], entry.row <= limit else { continue }
            let isLater = base.map { isNewer(stamp(of: entry), stamp(of: entries[Int($0)])) }
            if isLater ?? true { base = number }
        }
        return base
    }

    /// By device the last row about the property that the writers of all these values had seen; `nil`
    /// where one of them had seen none.
    private func seenByAll(_ sides: [UInt32]) -> [UInt16: UInt32]? {
        var common: [UInt16: UInt32]?
        for number in sides {
            let known = seen(by: entries[Int(number)])
            if known.isEmpty { return nil }
            guard let before = common else {
                common = known
                continue
            }
            common = before.reduce(into: [:]) { result, limit in
                if let own = known[limit.key] { result[limit.key] = min(own, limit.value) }
            }
        }
        return common
    }

    /// By device the last row about the property that the writer of a value that was set had seen.
    func seen(by side: Entry) -> [UInt16: UInt32] {
        guard side.flags.contains(.isReplacing) else { return [:] }
        let held = knowledge[SlotDevice(slot: side.slot, device: side.device)]
        guard let known = held?.first(where: { $0.row == side.row }) else {
            // All that its device had written.
            return [side.device: side.row - 1]
        }
        return Dictionary(known.seen.map { ($0.device, $0.row) }, uniquingKeysWith: max)
    }

    /// The entry whose value one says again, because what took it away was taken back; itself where
    /// it says its own, and where that entry is not here or says something else.
    ///
    /// - Complexity: O(1), for one that says another's O(the entries of the property).
    func original(of entry: Entry) -> Entry {
        guard !restated.isEmpty, let name = restated[Self.singleKey(entry.device, entry.row)]
        else { return entry }
        var next = slots[Int(entry.slot)].firstEntry
        while next != Self.none {
            let other = entries[Int(next)]
            next = other.next
            guard Self.singleKey(other.device, other.row) == name else { continue }
            return other.tag == entry.tag && value(of: other) == value(of: entry) ? other : entry
        }
        return entry
    }

    /// The properties of an entity that are in conflict.
    func conflictedKeys(of node: UInt32) -> Set<Name> {
        guard !conflicts.isEmpty else { return [] }
        var keys: Set<Name> = []
        var slot = nodes[Int(node)].firstSlot
        while slot != Self.none {
            if conflicts.contains(slot) { keys.insert(Name(names[slots[Int(slot)].key])) }
            slot = slots[Int(slot)].next
        }
        return keys
    }
}
