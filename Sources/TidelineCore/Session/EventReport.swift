public import Foundation
public import Replication

/// An event as programs are told of it: an object for those that read JSON, a line for those that
/// read lines.
public struct EventReport: Hashable, Sendable {
    /// What happened: `loaded`, `synced`, `changed`, `conflict`, …
    public let event: String
    /// What it is about: `keys`, `entities`, `documents`, `catalog`, `blobs` or `package`.
    public let store: String
    /// The members of the object, but for those that every event has.
    public let members: [Name: JSONValue]
    /// The same for a person.
    public let text: String

    /// A report as the part that knows of the event makes it.
    public init(
        _ event: String, store: String, _ members: [Name: JSONValue] = [:], text: String
    ) {
        self.event = event
        self.store = store
        self.members = members
        self.text = text
    }

    /// Rows that arrived: this device's own, which another process wrote, or another device's.
    ///
    /// - Parameters:
    ///   - rows: How many; `nil` for a store that has no rows to count.
    ///   - keys: What they are about.
    ///   - removed: Those of the keys that are there no more.
    ///   - counts: What came, changed and went, in the words of the feed: `+1 ~1 -1`; `nil` for
    ///     a store that does not count.
    ///   - latency: From the file-system event to the rows being visible.
    ///   - late: Seconds from their being written to their arrival, where that is known.
    public init(
        writtenBy device: DeviceID?, own: DeviceID?, store: String, rows: Int?, keys: [String],
        removed: [String] = [], counts: String? = nil, latency: Duration?, late: Double? = nil
    ) {
        let isOwn = device != nil && device == own
        let subject = counts ?? (keys.isEmpty ? store : "\(store):")
        let what = ([subject] + keys).joined(separator: " ")
        self.init(
            isOwn ? "changed" : "synced", store: store,
            [
                "device": .optional(device?.name), "rows": rows.map(JSONValue.count) ?? .null,
                "keys": .array(keys.map(JSONValue.string)),
                "removed": .array(removed.map(JSONValue.string)),
                "late": late.map(JSONValue.real) ?? .null,
                "milliseconds": latency.map { .real($0 / .milliseconds(1)) } ?? .null,
            ],
            text: "\(isOwn ? "changed" : device?.name ?? "read anew"): \(what)"
                + (late.flatMap(Timestamp.lateness(ofSeconds:)).map { ", \($0)" } ?? ""))
    }

    /// The whole object.
    public func json(at date: Date) -> JSONValue {
        var members = members
        members["event"] = .string(event)
        members["store"] = .string(store)
        members["date"] = .string(Timestamp(date).iso8601)
        return .object(members)
    }
}

extension EventReport {
    /// That a package went from its place, or came back to it.
    static func package(isGone: Bool) -> Self {
        isGone
            ? Self(
                "deleted", store: "package",
                text: "the package is gone; waiting for it to come back")
            : Self("returned", store: "package", text: "the package is there again")
    }

    /// How a device is now.
    ///
    /// - Parameter news: What is new about it.
    init(_ device: SessionStatus.Device, news: String) {
        self.init(
            "device", store: "package",
            [
                "device": .string(device.id.name), "name": .string(device.name),
                "state": .string(device.state),
                "problem": .optional(device.problem),
            ],
            text: "\(device.id) \(news)")
    }
}
