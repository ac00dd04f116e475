public import Replication

/// The reason why a write to entities can't be undone.
public enum EntityUndoObstacle: Hashable, Sendable {
    /// The entity that undoing would delete is already deleted.
    case deleted(identifier: String)
    /// The entity that undoing would restore exists again.
    case restored(identifier: String)
    /// The property has changed since the edit.
    case changed(identifier: String, key: String)
    /// Since the edit, a device has written the property, or any property of the created entity.
    case written(identifier: String, key: String?, by: DeviceID, isOwn: Bool, at: Timestamp)
}

extension EntityUndoObstacle {
    /// The identifier of the entity.
    public var identifier: String {
        switch self {
        case .deleted(let identifier), .restored(let identifier), .changed(let identifier, _),
            .written(let identifier, _, _, _, _):
            identifier
        }
    }
}

extension EntityUndoObstacle: CustomStringConvertible {
    public var description: String {
        switch self {
        case .deleted(let identifier): "\(identifier.quoted) is already deleted"
        case .restored(let identifier): "the entity \(identifier.quoted) exists again"
        case .changed(let identifier, let key): "\(key) of \(identifier) has changed since the edit"
        case .written(let identifier, let key, let device, let isOwn, let instant):
            "\(isOwn ? "this device" : device.name) has since written "
                + (key.map { "\($0) of " } ?? "") + "\(identifier), at \(instant.iso8601)"
        }
    }
}

extension EntityStore {
    /// Returns the reason why a write can't be undone, or `nil` if it can. A later write may have
    /// replaced its values, or may have written to the entities that it created.
    ///
    /// - Complexity: O(*n*) in the number of entries of the affected properties.
    public func obstacle(to undo: EntityUndo) -> EntityUndoObstacle? {
        for identifier in undo.deleted.sorted().texts {
            guard let node = graph.find(identifier) else {
                return .deleted(identifier: identifier)
            }
            for slot in graph.sortedSlots(of: node) {
                if let entry = newest(of: slot, after: undo.written) {
                    return written(entry, identifier)
                }
            }
        }
        for removed in undo.removed {
            guard !undo.deleted.contains(Name(removed.identifier)) else { continue }
            guard let slot = slot(removed.identifier, removed.key),
                !written(removed, in: slot).isEmpty
            else {
                return .changed(identifier: removed.identifier, key: removed.key)
            }
        }
        for operation in undo.restored {
            if case .creation = operation.action, graph.find(operation.identifier) != nil {
                return .restored(identifier: operation.identifier)
            }
            guard case .entry(let key, _, _) = operation.action,
                let slot = slot(operation.identifier, key),
                let entry = newest(of: slot, after: undo.written)
            else { continue }
            return written(entry, operation.identifier, key: key)
        }
        return nil
    }

    /// Returns the newest visible entry of a property if its datestamp is later than `instant`.
    private func newest(of slot: UInt32, after instant: Timestamp) -> EntityGraph.Entry? {
        graph.visibleEntries(of: slot).lazy.map { self.graph.entries[Int($0)] }
            .filter { $0.date > instant.microseconds }
            .max { $0.date < $1.date }
    }

    private func written(
        _ entry: EntityGraph.Entry, _ identifier: String, key: String? = nil
    ) -> EntityUndoObstacle {
        let device = graph.devices[Int(entry.device)]
        return .written(
            identifier: identifier, key: key, by: device, isOwn: device == ownDevice,
            at: Timestamp(microseconds: entry.timestamp))
    }
}
