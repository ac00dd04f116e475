public import Foundation
public import Replication

/// An event in the form for scripts: as a JSON object or as a line of text.
public struct EventReport: Hashable, Sendable {
    /// The event: `loaded`, `synced`, `changed`, `conflict`, …
    public let event: String
    /// The store: `keys`, `entities`, `documents`, `catalog`, `blobs` or `package`.
    public let store: String
    /// The members of the object, without those that every event has.
    public let members: [Name: JSONValue]
    /// The event as a line of text.
    public let text: String

    /// Creates a report of an event.
    public init(
        _ event: String, store: String, _ members: [Name: JSONValue] = [:], text: String
    ) {
        self.event = event
        self.store = store
        self.members = members
        self.text = text
    }

    /// Creates a report of rows written by another device, or by this device in another process.
    ///
    /// - Parameters:
    ///   - rows: The number of rows; `nil` if the store doesn't count rows.
    ///   - counts: The numbers of new, changed and deleted items, as in the Events panel: `+1 ~1
    ///     -1`; `nil` if the store doesn't count them.
    ///   - summary: The changes as in the Events panel; `nil` to show the counts and keys.
    ///   - latency: The time from the file-system event until the rows are visible.
    ///   - late: The seconds from the write to the arrival, if known.
    public init(
        writtenBy device: DeviceID?, own: DeviceID?, store: String, rows: Int?, keys: [String],
        removed: [String] = [], counts: String? = nil, summary: String? = nil,
        latency: Duration?, late: Double? = nil
    ) {
        let isOwn = device != nil && device == own
        let subject = counts ?? (keys.isEmpty ? store : "\(store):")
        let what = summary ?? ([subject] + keys).joined(separator: " ")
        self.init(
            isOwn ? "changed" : "synced", store: store,
            [
                "device": .optional(device?.name), "rows": rows.map(JSONValue.count) ?? .null,
                "keys": .array(keys.map(JSONValue.string)),
                "removed": .array(removed.map(JSONValue.string)),
                "late": late.map(JSONValue.real) ?? .null,
                "milliseconds": latency.map { .real($0 / .milliseconds(1)) } ?? .null,
            ],
            text: "\(isOwn ? "changed" : device?.name ?? "reloaded"): \(what)"
                + (late.flatMap(Timestamp.lateness(ofSeconds:)).map { ", \($0)" } ?? ""))
    }

    /// Returns the complete object.
    ///
    /// - Parameter date: The time of the event.
    public func json(at date: Date) -> JSONValue {
        var members = members
        members["event"] = .string(event)
        members["store"] = .string(store)
        members["date"] = .string(Timestamp(date).iso8601)
        return .object(members)
    }
}

extension EventReport {
    static func package(isMissing: Bool) -> Self {
        isMissing
            ? Self(
                "deleted", store: "package",
                text: "the package is missing; waiting for it to come back")
            : Self("returned", store: "package", text: "the package is back")
    }

    /// Creates the report of a device's state.
    ///
    /// - Parameter change: The change, worded to follow the device's name.
    init(_ device: SessionStatus.Device, change: String) {
        self.init(
            "device", store: "package",
            [
                "device": .string(device.id.name), "name": .string(device.name),
                "state": .string(device.state),
                "problem": .optional(device.problem),
            ],
            text: "\(device.id) \(change)")
    }
}
