import KeyValueStore
import Replication

extension EventReport {
    /// `nil` for what is told otherwise: devices, the package, what waits to be written.
    init?(_ event: KeyValueStore.Event, own: DeviceID?, deviceCount: Int) {
        let keysStore = PaneID.keys.part
        switch event.kind {
        case .loaded(_, let keys, let rows):
            self.init(
                "loaded", store: keysStore,
                ["devices": .count(deviceCount), "keys": .count(keys), "rows": .count(rows)],
                text: "loaded: \(deviceCount) devices, \(keys) keys, \(rows) rows")
        case .changed(let changes):
            self.init(
                writtenBy: own, own: own, store: keysStore, rows: changes.keys.count,
                keys: changes.keys, latency: nil)
        case .synced(let sync):
            self.init(
                writtenBy: sync.device, own: own, store: keysStore, rows: sync.rows,
                keys: sync.keys, latency: sync.latency)
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
        case .device, .deleted, .returned, .saveFailed, .saved: return nil
        }
    }
}
