import EntityStore
import Foundation
import KeyValueStore
import Replication
import TidelineCore

/// An event as `tideline watch` prints it.
struct WatchLine: Sendable {
    let members: [Name: JSONValue]
    let text: String

    /// - Parameter store: What it is about: `keys`, `entities`, `documents`, `catalog`, `blobs` or
    ///   `package`.
    init(
        _ event: String, store: String, date: Date = Date(), _ members: [Name: JSONValue] = [:],
        text: String
    ) {
        var members = members
        members["event"] = .string(event)
        members["store"] = .string(store)
        members["date"] = .string(Timestamp(date).iso8601)
        self.members = members
        self.text = Printable.line(text)
    }

    /// Rows that arrived: this device's own, which another process wrote, or another device's.
    init(
        of device: DeviceID?, own: DeviceID?, store: String, date: Date = Date(), rows: Int?,
        keys: [String], latency: Duration?
    ) {
        let isOwn = device != nil && device == own
        let count = rows.map { "\($0) rows" } ?? store
        self.init(
            isOwn ? "changed" : "synced", store: store, date: date,
            [
                "device": .optional(device?.name),
                "rows": rows.map(JSONValue.count) ?? .null,
                "keys": .array(keys.map(JSONValue.string)),
                "milliseconds": latency.map { .real($0 / .milliseconds(1)) } ?? .null,
            ],
            text: ([isOwn ? "changed" : device?.name ?? "read anew", count]
                + (keys.isEmpty ? [] : [keys.joined(separator: " ")])).joined(separator: ": "))
    }

    /// `nil` for what the caller tells of otherwise: devices, and rows.
    init?(_ event: KeyValueStore.Event, own: DeviceID?) {
        let date = event.date
        switch event.kind {
        case .loaded(let devices, let keys, let rows):
            self.init(
                "loaded", store: "keys", date: date,
                ["devices": .count(devices), "keys": .count(keys), "rows": .count(rows)],
                text: "loaded: \(devices) devices, \(keys) keys, \(rows) rows")
        case .changed(let changes):
            self.init(
                of: own, own: own, store: "keys", date: date, rows: changes.keys.count,
                keys: changes.keys, latency: nil)
        case .synced(let sync):
            self.init(
                of: sync.device, own: own, store: "keys", date: date, rows: sync.rows,
                keys: sync.keys, latency: sync.latency)
        case .conflict(let key, let devices):
            self.init(
                "conflict", store: "keys", date: date,
                [
                    "key": .string(key),
                    "devices": .array(devices.map { .string($0.name) }),
                ], text: "conflict: \(key): \(devices.map(\.name).joined(separator: ", "))")
        case .resolved(let key):
            self.init(
                "resolved", store: "keys", date: date, ["key": .string(key)],
                text: "resolved: \(key)")
        case .blob(let path):
            self.init(
                "blob", store: "blobs", date: date, ["blob": .string(path)], text: "blob: \(path)")
        case .deleted:
            self.init(
                "deleted", store: "package", date: date,
                text: "the package is gone; waiting for it to come back")
        case .returned:
            self.init(
                "returned", store: "package", date: date, text: "the package is there again")
        case .device, .saveFailed, .saved: return nil
        }
    }

    init(_ changes: EntityChanges, own: DeviceID?, latency: Duration?) {
        let device: DeviceID? =
            switch changes.origin {
            case .device(let device): device
            case .local: own
            case .reload: nil
            }
        let identifiers = (changes.added + changes.changed + changes.deleted)
            .compactMap(\.identifier).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        self.init(
            of: device, own: own, store: "entities", rows: changes.rowCount, keys: identifiers,
            latency: latency)
    }

    init(_ device: DeviceID, _ state: String, _ problem: String?) {
        self.init(
            "device", store: "package",
            [
                "device": .string(device.name), "state": .string(state),
                "problem": .optional(problem),
            ], text: "\(device) is \(state)" + (problem.map { ": \($0)" } ?? ""))
    }
}
