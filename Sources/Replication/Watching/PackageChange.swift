/// One database file of one device.
public struct DeviceFile: Hashable, Sendable {
    /// The device whose folder it is in.
    public let device: DeviceID
    /// Which of the device's databases it is.
    public let kind: DatabaseKind

    /// The database of that kind of `device`, whether it is there or not.
    public init(_ device: DeviceID, _ kind: DatabaseKind) {
        self.device = device
        self.kind = kind
    }
}

/// What happened in a package since the last time it was told.
///
/// Every part of it says "look there": whether anything is different is told by ``FileStamp``s and
/// listings.
public struct PackageChange: Hashable, Sendable {
    /// When the first of these events was seen.
    public var since: ContinuousClock.Instant
    /// When the last of them was seen. For one transaction of a writer that is its end, while
    /// ``since`` is its beginning.
    public var until: ContinuousClock.Instant
    /// Databases that were written, created, replaced, renamed or deleted.
    public var files: Set<DeviceFile> = []
    /// Devices whose folder came, went or was renamed, or has other conflict copies in it.
    public var devices: Set<DeviceID> = []
    /// Blobs that were written, created, replaced or deleted, by path; a folder's path stands for
    /// all in it, and an empty path for all there are.
    public var blobs: Set<Name> = []
    /// Events were lost, or too many came: anything may be different.
    public var needsRescan = false
    /// The package was deleted or moved away, or is one no longer. Nothing follows until
    /// ``isBack``.
    public var isGone = false
    /// After it was gone, a package is there again, the same or another: anything may be different.
    /// Together with ``isGone``: it went and came back since the last time that was told.
    public var isBack = false

    /// A change in which nothing has happened yet, at one instant.
    public init(since: ContinuousClock.Instant) {
        self.since = since
        until = since
    }

    /// Whether it says nothing.
    public var isEmpty: Bool {
        files.isEmpty && devices.isEmpty && blobs.isEmpty && !needsRescan && !isGone
            && !isBack
    }

    /// Adds what happened later.
    public mutating func merge(_ other: PackageChange) {
        since = min(since, other.since)
        until = max(until, other.until)
        files.formUnion(other.files)
        devices.formUnion(other.devices)
        blobs.formUnion(other.blobs)
        needsRescan = needsRescan || other.needsRescan
        // Gone again after it was back leaves it gone.
        isBack = other.isBack || (isBack && !other.isGone)
        isGone = isGone || other.isGone
    }
}
