import Replication

extension EntityStore {
    /// The values between a conflict's base and its sides.
    public struct Lineage: Sendable {
        /// A value in the lineage.
        public struct Write: Sendable {
            /// The value, as its first writer wrote it.
            public let entry: PropertyEntry
            /// The indices in ``Lineage/writes`` of the older values that this write replaced
            /// directly.
            public let parents: [Int]
            /// The value's index among the conflict's sides, if it is one of them.
            public let side: Int?
        }

        /// The values, newest first. Values of devices that can't be read are omitted.
        public let writes: [Write]
        /// Whether there are older values.
        public let hasMore: Bool
    }

    /// Returns the values between a conflict's base and its sides, with the values that each of
    /// them replaced.
    ///
    /// A restored side appears as it was first written, without the resolution in between.
    ///
    /// - Parameter limit: The maximum number of values; the newest are returned.
    /// - Throws: `ReplicationError` if the package is missing.
    /// - Complexity: That of reading all logs, because memory doesn't contain all removed values.
    public func lineage(of conflict: EntityConflict, limit: Int) throws -> Lineage {
        var past = EntityGraph()
        past.keepsCauses = true
        var names: [DeviceID: [String]] = [:]
        for batch in try backing.readAll() {
            names[batch.device, default: []] += batch.names
            try past.ingest(
                batch.rows(
                    about: conflict.key, of: conflict.identifier, names[batch.device] ?? []))
        }
        past.applyPending()
        guard let node = past.known(conflict.identifier), let key = past.names.find(conflict.key),
            let slot = past.slot(of: node, key: key)
        else { return Lineage(writes: [], hasMore: false) }
        return past.lineage(of: slot, conflict, limit: limit)
    }
}

extension EntityGraph {
    fileprivate func lineage(
        of slot: UInt32, _ conflict: EntityConflict, limit: Int
    ) -> EntityStore.Lineage {
        let history = history(of: slot)
        let entries = Dictionary(
            history.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var numbers: [PropertyEntry.ID: UInt32] = [:]
        var next = slots[Int(slot)].firstEntry
        while next != Self.none {
            numbers[id(of: self.entries[Int(next)])] = next
            next = self.entries[Int(next)].next
        }
        // The indices of the sides, by the entry that was the first to have the value.
        var sides: [PropertyEntry.ID: Int] = [:]
        for (place, side) in conflict.sides.enumerated() {
            guard let number = numbers[side.id] else { continue }
            sides[id(of: original(of: self.entries[Int(number)]))] = place
        }
        let base = conflict.base.flatMap { numbers[$0.id] }.map { self.entries[Int($0)] }
        let isOld = { (entry: Entry) in
            base.map { self.isNewer(self.stamp(of: $0), self.stamp(of: entry)) } ?? false
        }
        // Newest first, so that replaced values come after those that replaced them.
        let ordered = numbers.sorted {
            isNewer(stamp(of: self.entries[Int($0.value)]), stamp(of: self.entries[Int($1.value)]))
        }.map { (id: $0.key, entry: self.entries[Int($0.value)]) }
        var wanted = Set(sides.keys)
        var found: [(id: PropertyEntry.ID, entry: Entry, seen: [UInt16: UInt32])] = []
        var hasMore = false
        for (id, entry) in ordered where wanted.contains(id) && !isOld(entry) {
            guard found.count < limit else {
                hasMore = true
                break
            }
            let seen = entry.flags.contains(.isReplacing) ? seen(by: entry) : [:]
            found.append((id, entry, seen))
            for other in ordered where Self.covers(seen, other.entry) { wanted.insert(other.id) }
        }
        let writes = found.indices.compactMap { place -> EntityStore.Lineage.Write? in
            guard let entry = entries[found[place].id] else { return nil }
            let known = found.indices.filter {
                $0 > place && Self.covers(found[place].seen, found[$0].entry)
            }
            return EntityStore.Lineage.Write(
                entry: entry,
                parents: known.filter { older in
                    !known.contains { Self.covers(found[$0].seen, found[older].entry) }
                }, side: sides[found[place].id])
        }
        return EntityStore.Lineage(writes: writes, hasMore: hasMore)
    }

    private static func covers(_ seen: [UInt16: UInt32], _ entry: Entry) -> Bool {
        seen[entry.device].map { entry.row <= $0 } ?? false
    }
}

extension RowBatch {
    /// Returns the rows that create or delete an entity or that concern one of its properties.
    ///
    /// - Parameter names: All names of the device's log so far.
    fileprivate func rows(
        about key: String, of identifier: String, _ names: [String]
    ) -> RowBatch {
        func numbers(of name: Name) -> Set<UInt32> {
            Set(names.indices.filter { Name(names[$0]) == name }.map { UInt32($0) + 1 })
        }
        let (entities, keys) = (numbers(of: Name(identifier)), numbers(of: Name(key)))
        var found = self
        found.rows.removeAll { row in
            guard entities.contains(row.entity) else { return true }
            switch row.operation {
            case .creation, .deletion: return false
            case .entry, .removal: return !keys.contains(row.key)
            }
        }
        return found
    }
}
