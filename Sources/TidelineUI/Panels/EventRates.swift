import Replication

/// The number of rows that each device wrote in each of the last intervals.
struct EventRates: Hashable, Sendable {
    /// The length of an interval, in microseconds.
    private static let step: Int64 = 10_000_000
    /// The number of intervals kept.
    static let count = 30

    /// The row counts by interval number.
    private var counts: [DeviceID: [Int64: Int]] = [:]

    private static func number(of instant: Timestamp) -> Int64 { instant.microseconds / step }

    mutating func add(_ rows: Int, by device: DeviceID, at now: Timestamp) {
        let number = Self.number(of: now)
        var known = counts[device] ?? [:]
        known[number, default: 0] += rows
        // Drop old intervals when new rows arrive, because they are no longer shown.
        if known.count > Self.count { known = known.filter { number - $0.key < Self.count } }
        counts[device] = known
    }

    /// Returns the devices that wrote recently, sorted by identifier.
    func devices(at now: Timestamp) -> [DeviceID] {
        counts.keys.filter { recent(of: $0, at: now).contains { $0 > 0 } }.sorted()
    }

    /// Returns the number of rows that a device wrote in each interval, oldest first.
    func recent(of device: DeviceID, at now: Timestamp) -> [Int] {
        let last = Self.number(of: now)
        let known = counts[device] ?? [:]
        return (0..<Self.count).map { known[last - Int64(Self.count - 1 - $0)] ?? 0 }
    }

    /// Returns the number of rows that a device wrote in the last minute.
    func perMinute(of device: DeviceID, at now: Timestamp) -> Int {
        recent(of: device, at: now).suffix(6).reduce(0, +)
    }

    /// Returns when the chart changes next without new writes; `nil` if the chart is empty.
    func nextChange(after now: Timestamp) -> Timestamp? {
        guard !devices(at: now).isEmpty else { return nil }
        let (next, overflow) = (Self.number(of: now) + 1).multipliedReportingOverflow(by: Self.step)
        return overflow ? nil : Timestamp(microseconds: next)
    }
}
