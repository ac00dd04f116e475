import Replication

/// How many rows each device wrote in the last minutes.
struct EventRates: Hashable, Sendable {
    /// The time that is counted together, in microseconds.
    private static let step: Int64 = 10_000_000
    /// How many such times are known.
    static let count = 30

    /// By the number of such a time.
    private var counts: [DeviceID: [Int64: Int]] = [:]

    private static func number(of instant: Timestamp) -> Int64 { instant.microseconds / step }

    mutating func add(_ rows: Int, by device: DeviceID, at now: Timestamp) {
        let number = Self.number(of: now)
        var known = counts[device] ?? [:]
        known[number, default: 0] += rows
        // What is too old goes with the next news, and is shown no longer anyway.
        if known.count > Self.count { known = known.filter { number - $0.key < Self.count } }
        counts[device] = known
    }

    /// The devices that wrote lately, in the order of their identifiers.
    func devices(at now: Timestamp) -> [DeviceID] {
        counts.keys.filter { recent(of: $0, at: now).contains { $0 > 0 } }.sorted()
    }

    /// What a device wrote in each of the last times, the oldest first.
    func recent(of device: DeviceID, at now: Timestamp) -> [Int] {
        let last = Self.number(of: now)
        let known = counts[device] ?? [:]
        return (0..<Self.count).map { known[last - Int64(Self.count - 1 - $0)] ?? 0 }
    }

    /// How many rows a device wrote in the last minute.
    func perMinute(of device: DeviceID, at now: Timestamp) -> Int {
        recent(of: device, at: now).suffix(6).reduce(0, +)
    }

    /// When the picture is another, though nothing is written; `nil` where it is empty.
    func nextChange(after now: Timestamp) -> Timestamp? {
        guard !devices(at: now).isEmpty else { return nil }
        let (next, overflow) = (Self.number(of: now) + 1).multipliedReportingOverflow(by: Self.step)
        return overflow ? nil : Timestamp(microseconds: next)
    }
}
