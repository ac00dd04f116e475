/// What a ``LogFollower`` tells its store, in the order in which it happened.
public enum LogNews<Log: FollowedLog> {
    /// All rows there are: at first, and whenever a log was replaced by another. What was merged
    /// before is to be forgotten, but for the rows of the devices that are `kept`, which cannot be
    /// read now; there are none unless ``FollowedLog/keepsRows``.
    case loaded(Log.Whole, kept: Set<DeviceID>, [DeviceStatus])
    /// Rows that follow on those of their device that came before.
    case rows(LogRows<Log.Batch, Log.Notes>)
    /// How a device's log stands; worth telling unless it is only that there are more rows.
    case device(DeviceStatus, isNotable: Bool)
    /// Blobs that may have changed, as ``PackageChange/blobs`` has them.
    case blobs(Set<Name>)
    /// The package is gone from its place. What was read stays.
    case deleted
    /// The package is in its place again; what is new in it follows.
    case returned
}
