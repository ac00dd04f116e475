/// An event that a ``LogFollower`` reports to its store. Events are reported in order.
public enum LogEvent<Log: FollowedLog> {
    /// All rows, after the first load and whenever a log was replaced by another. Discard all rows
    /// merged before, except those of the devices in `kept`, whose logs can't be read now. If
    /// ``FollowedLog/keepsRows`` is `false`, `kept` is empty.
    case loaded(Log.Whole, kept: Set<DeviceID>, [DeviceStatus])
    /// Rows that follow the earlier rows of their device.
    case rows(LogRows<Log.Batch, Log.Notes>)
    /// The status of a device's log. Notify subscribers only if `isNotable` is `true`.
    case device(DeviceStatus, isNotable: Bool)
    /// Blobs that may have changed, as in ``PackageChange/blobs``.
    case blobs(Set<Name>)
    /// The package was deleted or moved away. The rows stay.
    case deleted
    /// The package exists again. New rows follow.
    case returned
}
