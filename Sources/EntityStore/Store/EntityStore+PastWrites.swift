public import Replication

/// A row about an entity.
public struct EntityWrite: Hashable, Sendable {
    /// The effect of a row.
    public enum Kind: Hashable, Sendable {
        /// The entity was created with a type.
        case made(type: String)
        /// A property got a value; `before` is the value written before it.
        case set(key: String, EntityValue, before: EntityValue?)
        /// The entity was deleted.
        case deleted
    }

    /// The identifier of the entity.
    public var identifier: String
    /// The device that wrote the row.
    public var device: DeviceID
    /// The effect of the row.
    public var kind: Kind
}

extension EntityStore {
    /// Returns the writes at an instant, except removals: created entities first, then properties,
    /// then deletions.
    ///
    /// - Parameters:
    ///   - device: The writing device; `nil` returns the writes of all devices.
    ///   - limit: The maximum number of writes to return.
    /// - Complexity: O(*n*) in the number of entries, including removed entries.
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

    /// Returns the newest earlier entry of the same property.
    private func predecessor(of entry: Entry) -> Entry? {
        entryNumbers(of: entry.slot).filter { entries[Int($0)].timestamp < entry.timestamp }
            .max { isNewer(entries[Int($1)], entries[Int($0)]) }
            .map { entries[Int($0)] }
    }
}
