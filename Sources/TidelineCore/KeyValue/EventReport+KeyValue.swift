import KeyValueStore
import Replication

extension EventReport {
    /// Creates a report. Returns `nil` for events about devices, the package and unsaved changes,
    /// because other code reports them.
    init?(_ event: KeyValueStore.Event, own: DeviceID?, deviceCount: Int) {
        let keysStore = PaneID.keys.part
        switch event.kind {
        case .loaded(_, let keys, let rows):
            self.init(
                "loaded", store: keysStore,
                ["devices": .count(deviceCount), "keys": .count(keys), "rows": .count(rows)],
                text: "loaded: \(Counted.text(deviceCount, "device")), "
                    + "\(Counted.text(keys, "key")), " + Counted.text(rows, "row"))
        case .changed(let changes):
            self.init(
                writtenBy: own, own: own, store: keysStore, rows: changes.keys.count,
                keys: changes.keys, removed: changes.removed, counts: changes.counts(),
                latency: nil, late: nil)
        case .synced(let sync):
            self.init(
                writtenBy: sync.device, own: own, store: keysStore, rows: sync.rows,
                keys: sync.keys, removed: sync.changes.removed,
                counts: sync.changes.keys.isEmpty
                    ? "no value changed:" : sync.changes.counts(rows: sync.rows),
                latency: sync.latency,
                late: sync.device == own
                    ? nil : sync.oldest?.lateness(at: Timestamp(event.date)))
        case .conflict(let key, let devices, _):
            self.init(
                "conflict", store: keysStore,
                ["key": .string(key), "devices": .array(devices.map { .string($0.name) })],
                text: "conflict: \(key): \(devices.map(\.name).joined(separator: ", "))")
        case .resolved(let key):
            self.init(
                "resolved", store: keysStore, ["key": .string(key)], text: "resolved: \(key)")
        case .blob(let path):
            self.init("blob", store: "blobs", ["blob": .string(path)], text: "blob: \(path)")
        case .device, .deleted, .returned, .saveFailed, .saveUnconfirmed, .saved: return nil
        }
    }
}

extension KeyValueStore.Changes {
    var removed: [String] { byKey.filter(\.value.isRemoval).keys.sorted().texts }

    /// Returns the numbers of changes; see ``Counted/signs(new:changed:deleted:)``.
    ///
    /// - Parameter rows: The number of rows written. It is used if all changed keys are new, or if
    ///   none is new or deleted.
    func counts(rows: Int = 0) -> String {
        let deleted = byKey.values.count(where: \.isRemoval)
        let new = byKey.values.count { $0.isNew && !$0.isRemoval }
        let changed = byKey.count - deleted - new
        if deleted == 0, changed == 0 { return "+\(max(new, rows))" }
        if deleted == 0, new == 0 { return "~\(max(changed, rows))" }
        return Counted.signs(new: new, changed: changed, deleted: deleted)
    }
}
