import Replication

/// The end of each device's log in a store.
struct LogEnds {
    /// The newest timestamp of each device's log.
    let newest: [DeviceID: Timestamp]
    /// The instant of the compared state; `nil` for the present.
    let instant: Timestamp?

    /// Returns whether a device's log ends before a row of that device.
    func lack(_ timestamp: Timestamp, of device: DeviceID) -> Bool {
        if let instant, timestamp > instant { return false }
        return newest[device].map { $0 < timestamp } ?? true
    }
}
