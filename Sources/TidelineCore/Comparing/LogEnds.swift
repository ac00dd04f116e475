import Replication

/// The end of each device's log in a store.
struct LogEnds {
    private let newest: [DeviceID: Timestamp]
    private let instant: Timestamp?

    /// Creates the ends of the logs.
    ///
    /// - Parameters:
    ///   - newest: The newest timestamp of each device's log.
    ///   - instant: The instant of the compared state; `nil` for the present.
    init(_ newest: [DeviceID: Timestamp], at instant: Timestamp?) {
        self.newest = newest
        self.instant = instant
    }

    /// Returns whether a device's log ends before a row of that device.
    func lack(_ timestamp: Timestamp, of device: DeviceID) -> Bool {
        if let instant, timestamp > instant { return false }
        return newest[device].map { $0 < timestamp } ?? true
    }
}
