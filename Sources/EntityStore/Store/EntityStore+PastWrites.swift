public import Replication

/// A row that was written about an entity.
public struct EntityWrite: Hashable, Sendable {
    /// What was done.
    public enum Kind: Hashable, Sendable {
        /// The entity was made, as one of a type.
        case made(type: String)
        /// A property got a value, or one more; `before` is what it had been given last.
        case set(key: String, EntityValue, before: EntityValue?)
        /// The entity was deleted.
        case deleted
    }

    /// The entity that it is about.
    public var identifier: String
    /// Who wrote it.
    public var device: DeviceID
    /// What was done.
    public var kind: Kind
}

extension EntityStore {
    /// What was written at an instant, except for removals: entities that were made first, then
    /// properties, then deletions.
    ///
    /// - Parameters:
    ///   - device: Who wrote it; `nil`: anybody.
    ///   - limit: The most that is told.
    /// - Complexity: O(*n*) in the number of entries, those that do not count any longer included.
    public func writes(
        at instant: Timestamp, device: DeviceID? = nil, limit: Int
    ) -> [EntityWrite] {
        let number = device.map { graph.deviceNumbers[$0] }
        if case .some(.none) = number { return [] }
        return graph.writes(at: instant.microseconds, device: number ?? nil, limit: limit)
    }
}

extension EntityGraph {
    fileprivate func writes(at time: Int64, device: UInt16?, limit: Int) -> [EntityWrite] {
        func isMeant(_ stamp: Stamp) -> Bool {
            stamp.timestamp == time && (device == nil || stamp.device == device)
        }
        var writes: [EntityWrite] = []
        func add(_ node: UInt32, _ stamp: Stamp, _ kind: EntityWrite.Kind) {
            writes.append(
                EntityWrite(
                    identifier: identifier(of: node), device: devices[Int(stamp.device)],
                    kind: kind))
        }
        if creations.contains(where: { isMeant($0.stamp) }) {
            for node in nodes.indices where writes.count < limit {
                var next = nodes[node].firstCreation
                while next != Self.none {
                    let creation = creations[Int(next)]
                    next = creation.next
                    if isMeant(creation.stamp) {
                        add(UInt32(node), creation.stamp, .made(type: names[creation.type]))
                    }
                }
            }
        }
        for entry in entries where writes.count < limit && isMeant(stamp(of: entry)) {
            let slot = slots[Int(entry.slot)]
            add(
                slot.node, stamp(of: entry),
                .set(
                    key: names[slot.key], value(of: entry),
                    before: predecessor(of: entry).map { value(of: $0) }))
        }
        for (node, stamp) in deletions where writes.count < limit && isMeant(stamp) {
            add(node, stamp, .deleted)
        }
        return Array(writes.prefix(limit))
    }

    /// The newest entry of the same property that was written before.
    private func predecessor(of entry: Entry) -> Entry? {
        var found: Entry?
        var next = slots[Int(entry.slot)].firstEntry
        while next != Self.none {
            let other = entries[Int(next)]
            next = other.next
            guard other.timestamp < entry.timestamp else { continue }
            if found.map({ isNewer(other, $0) }) ?? true { found = other }
        }
        return found
    }
}
