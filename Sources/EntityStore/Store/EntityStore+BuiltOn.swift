import Replication

extension EntityStore {
    /// Why a write is not to be taken back any more: somebody has written what it wrote, or into what
    /// it made, since. `nil` where nobody has.
    ///
    /// - Complexity: O(the entries of the properties that it is about).
    public func whatWasBuilt(on undo: EntityUndo) -> String? {
        for identifier in undo.deleted.sorted().texts {
            guard let node = graph.find(identifier) else {
                return "\(identifier.quoted) is deleted already"
            }
            for slot in graph.sortedSlots(of: node) {
                if let entry = newest(of: slot, after: undo.written) {
                    return said(entry, identifier)
                }
            }
        }
        for removed in undo.removed {
            guard !undo.deleted.contains(Name(removed.identifier)) else { continue }
            guard let slot = slot(removed.identifier, removed.key),
                !written(removed, in: slot).isEmpty
            else {
                return "\(removed.key) of \(removed.identifier) has another value, or none, since"
            }
        }
        for operation in undo.restored {
            if case .creation = operation.action, graph.find(operation.identifier) != nil {
                return "there is an entity \(operation.identifier.quoted) again"
            }
            guard case .entry(let key, _, _) = operation.action,
                let slot = slot(operation.identifier, key),
                let entry = newest(of: slot, after: undo.written)
            else { continue }
            return said(entry, "\(key) of \(operation.identifier)")
        }
        return nil
    }

    /// The newest entry of a property that counts, if its datestamp is later than `instant`.
    private func newest(of slot: UInt32, after instant: Timestamp) -> EntityGraph.Entry? {
        graph.visibleEntries(of: slot).lazy.map { self.graph.entries[Int($0)] }
            .filter { $0.date > instant.microseconds }
            .max { $0.date < $1.date }
    }

    private func said(_ entry: EntityGraph.Entry, _ what: String) -> String {
        let device = graph.devices[Int(entry.device)]
        let writer = device == ownDevice ? "this device" : device.name
        return "\(writer) wrote \(what) on top of it at "
            + Timestamp(microseconds: entry.timestamp).iso8601
    }
}
