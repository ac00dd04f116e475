import Replication

extension EntityStore {
    /// Values of a property, and the earlier values that led to them.
    public struct Lineage: Sendable {
        /// A value in the lineage.
        public struct Write: Sendable {
            /// The value, as its first writer wrote it.
            public let entry: PropertyEntry
            /// The indices in ``Lineage/writes`` of the older values that this write replaced
            /// directly.
            public let parents: [Int]
            /// Whether this write also replaced values that aren't in ``Lineage/writes``: older
            /// values, or values of devices that can't be read.
            public let replacesOthers: Bool
            /// The value's index among the sides of the conflict or the values of the property, if
            /// it is one of them.
            public let side: Int?
        }

        /// The values, newest first. Values of devices that can't be read are omitted.
        public let writes: [Write]
        /// Whether the limit left out older values.
        public let hasMore: Bool

        fileprivate static let none = Lineage(writes: [], hasMore: false)
    }

    /// Returns the values between a conflict's base and its sides, with the values that each of
    /// them replaced.
    ///
    /// If a resolution was reverted, the restored side appears as its original value, and the
    /// value that resolved the conflict is left out.
    ///
    /// - Parameter limit: The maximum number of values; the newest are returned.
    /// - Throws: `ReplicationError` if the package is missing.
    /// - Complexity: The complexity of reading all logs, because memory doesn't contain all removed
    ///   values.
    public func lineage(of conflict: EntityConflict, limit: Int) throws -> Lineage {
        try pastGraph(of: conflict.identifier, keys: [Name(conflict.key)]).lineage(
            of: conflict.key, in: conflict.identifier, sides: conflict.sides.map(\.id),
            base: conflict.base?.id, limit: limit)
    }

    /// Returns the lineages of an entity's properties, by key: their values with the older ones
    /// that led to them.
    ///
    /// - Parameters:
    ///   - keys: The properties; `nil` for all.
    ///   - limit: The maximum number of values per property; the newest are returned.
    /// - Returns: No lineages if the entity doesn't exist.
    /// - Throws: As ``lineage(of:limit:)``; the errors of ``properties(_:of:)``.
    /// - Complexity: As ``lineage(of:limit:)``.
    public func lineages(
        of reference: EntityReference, keys: [String]? = nil, limit: Int
    ) throws -> [(key: String, lineage: Lineage)] {
        guard let node = try node(reference) else { return [] }
        let identifier = graph.identifier(of: node)
        let slots = graph.sortedSlots(of: node, keys: keys.map { graph.sorted(keys: $0) })
        let sides = slots.map { slot in
            (
                key: graph.names[graph.slots[Int(slot)].key],
                values: graph.visibleEntries(of: slot).map { graph.id(ofEntry: $0) }
            )
        }.filter { !$0.values.isEmpty }
        let past = try pastGraph(of: identifier, keys: Set(sides.map { Name($0.key) }))
        return sides.map { key, values in
            (key, past.lineage(of: key, in: identifier, sides: values, base: nil, limit: limit))
        }
    }

    /// Returns a graph of an entity's properties with all removed values and their causes.
    private func pastGraph(of identifier: String, keys: Set<Name>) throws -> EntityGraph {
        var past = EntityGraph()
        past.keepsCauses = true
        var names: [DeviceID: [String]] = [:]
        for batch in try backing.readAll() {
            names[batch.device, default: []] += batch.names
            try past.ingest(batch.rows(about: keys, of: identifier, names[batch.device] ?? []))
        }
        past.applyPending()
        return past
    }
}

extension EntityGraph {
    fileprivate func lineage(
        of key: String, in identifier: String, sides values: [PropertyEntry.ID],
        base: PropertyEntry.ID?, limit: Int
    ) -> EntityStore.Lineage {
        guard let slot = slot(of: identifier, key: key) else { return .none }
        let history = history(of: slot)
        let entries = Dictionary(keepingFirst: history.map { ($0.id, $0) })
        var numbers: [PropertyEntry.ID: UInt32] = [:]
        for number in entryNumbers(of: slot) {
            numbers[id(ofEntry: number)] = number
        }
        // The indices of the sides, by the entry that was the first to have the value.
        var sides: [PropertyEntry.ID: Int] = [:]
        for (place, side) in values.enumerated() {
            guard let number = numbers[side] else { continue }
            sides[id(of: original(of: self.entries[Int(number)]))] = place
        }
        let base = base.flatMap { numbers[$0] }.map { self.entries[Int($0)] }
        let isOld = { (entry: Entry) in
            base.map { self.isNewer(self.stamp(of: $0), self.stamp(of: entry)) } ?? false
        }
        // The newest value comes first, so that a replaced value comes after the value that
        // replaced it.
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
        let listed = Set(found.map(\.id))
        let writes = found.indices.compactMap { place -> EntityStore.Lineage.Write? in
            guard let entry = entries[found[place].id] else { return nil }
            let seen = found[place].seen
            let known = found.indices.filter {
                $0 > place && Self.covers(seen, found[$0].entry)
            }
            let replacesOthers =
                ordered.contains { Self.covers(seen, $0.entry) && !listed.contains($0.id) }
                || seen.contains { device, row in row > (lastRows[device] ?? 0) }
            return EntityStore.Lineage.Write(
                entry: entry,
                parents: known.filter { older in
                    !known.contains { Self.covers(found[$0].seen, found[older].entry) }
                }, replacesOthers: replacesOthers, side: sides[found[place].id])
        }
        return EntityStore.Lineage(writes: writes, hasMore: hasMore)
    }

    private static func covers(_ seen: [UInt16: UInt32], _ entry: Entry) -> Bool {
        seen[entry.device].map { entry.row <= $0 } ?? false
    }
}

extension EntityRowBatch {
    /// Returns the rows that create or delete an entity or that concern the given properties.
    ///
    /// - Parameter names: All names of the device's log so far.
    fileprivate func rows(
        about keys: Set<Name>, of identifier: String, _ names: [String]
    ) -> EntityRowBatch {
        func numbers(of wanted: Set<Name>) -> Set<UInt32> {
            Set(names.indices.filter { wanted.contains(Name(names[$0])) }.map { UInt32($0) + 1 })
        }
        let (entities, keys) = (numbers(of: [Name(identifier)]), numbers(of: keys))
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
