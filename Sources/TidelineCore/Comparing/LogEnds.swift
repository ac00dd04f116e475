import Replication

/// Where the log of each device ends in a store.
struct LogEnds {
    private let newest: [DeviceID: Timestamp]
    private let instant: Timestamp?

    /// - Parameters:
    ///   - newest: The newest timestamp of each device's log.
    ///   - instant: The instant at which the store is looked at; `nil` for the present.
    init(_ newest: [DeviceID: Timestamp], at instant: Timestamp?) {
        self.newest = newest
        self.instant = instant
    }

    /// Whether a device's log ends before a row of that device.
    func lack(_ timestamp: Timestamp, of device: DeviceID) -> Bool {
        if let instant, timestamp > instant { return false }
        return newest[device].map { $0 < timestamp } ?? true
    }
}
