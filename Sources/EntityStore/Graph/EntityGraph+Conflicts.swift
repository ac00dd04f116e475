import Replication

/// Conflicts: properties that several devices set concurrently.
///
/// Setting a property removes the values that its writer had seen, so one value remains if each
/// writer had seen the value before. If several set values remain, they are concurrent. The values
/// that an entity is created with count as set by a writer that had seen nothing. An added value
/// doesn't record what its writer had seen and is never in conflict. Several initial values of one
/// property aren't in conflict either.
extension EntityGraph {
    /// Returns the values that devices set, newest first, of a property that is or could be in
    /// conflict.
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

    /// Returns the properties whose conflict state changed since the last call.
    mutating func takeConflictChanges() -> (begun: [UInt32], ended: [UInt32]) {
        let changed = conflictsBefore.filter { conflicts.contains($0.key) != $0.value }
        conflictsBefore.removeAll()
        return (changed.filter { !$0.value }.keys.sorted(), changed.filter(\.value).keys.sorted())
    }

    func conflict(about slot: UInt32) -> EntityConflict {
        let node = slots[Int(slot)].node
        let sides = sides(of: slot)
        let history = history(of: slot)
        let ids = Set(sides.map { id(ofEntry: $0) })
        let base = base(of: sides, in: slot).map { id(ofEntry: $0) }
        return EntityConflict(
            identifier: identifier(of: node), type: names[nodes[Int(node)].type],
            key: names[slots[Int(slot)].key],
            sides: history.filter { ids.contains($0.id) },
            base: base.flatMap { id in history.first { $0.id == id } })
    }

    /// Returns the newest value that every side replaced. The order of datestamps is not used,
    /// because a restored value keeps its old datestamp.
    ///
    /// - Complexity: O(*s* × *d* + *n*) in the sides, the devices that each had seen, and the
    ///   entries of the property.
    private func base(of sides: [UInt32], in slot: UInt32) -> UInt32? {
        guard let limits = seenByAll(sides) else { return nil }
        var base: UInt32?
        for number in entryNumbers(of: slot) {
            let entry = entries[Int(number)]
            guard let limit = limits[entry.device], entry.row <= limit else { continue }
            let isLater = base.map { isNewer(stamp(of: entry), stamp(of: entries[Int($0)])) }
            if isLater ?? true { base = number }
        }
        return base
    }

    /// For each device, returns the last row of the property that the writers of all these values
    /// had seen; `nil` if one writer had seen no row.
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

    /// For each device, returns the last row of the property that the writer of a set value had
    /// seen.
    func seen(by side: Entry) -> [UInt16: UInt32] {
        guard side.flags.contains(.isReplacing) else { return [:] }
        let held = causes[SlotDevice(slot: side.slot, device: side.device)]
        guard let known = held?.first(where: { $0.row == side.row }) else {
            // No causes are stored if the writer had seen all earlier rows of its own device, and
            // no rows of other devices.
            return [side.device: side.row - 1]
        }
        return Dictionary(known.seen.map { ($0.device, $0.row) }, uniquingKeysWith: max)
    }

    /// Returns the removed entry that this entry restores.
    ///
    /// Undoing a removal writes the value again, in a new entry. Returns the entry itself if it
    /// doesn't restore another, or if the removed entry is missing or has another value.
    ///
    /// - Complexity: O(1). For a restored value, O(*n*) in the entries of the property.
    func original(of entry: Entry) -> Entry {
        guard !restated.isEmpty, let name = restated[Self.singleKey(entry.device, entry.row)]
        else { return entry }
        for number in entryNumbers(of: entry.slot) {
            let other = entries[Int(number)]
            guard Self.singleKey(other.device, other.row) == name else { continue }
            return other.tag == entry.tag && value(of: other) == value(of: entry) ? other : entry
        }
        return entry
    }

    /// Returns the conflicted properties of an entity.
    func conflictedKeys(of node: UInt32) -> Set<Name> {
        guard !conflicts.isEmpty else { return [] }
        let conflicted = slotNumbers(of: node).filter { conflicts.contains($0) }
        return Set(conflicted.map { Name(names[slots[Int($0)].key]) })
    }
}
