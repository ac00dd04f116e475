/// A database file of a device.
public struct DeviceFile: Hashable, Sendable {
    /// The device whose folder contains the file.
    public let device: DeviceID
    /// The kind of database.
    public let kind: DatabaseKind

    /// Creates the reference to a database of `device`. The database need not exist.
    public init(_ device: DeviceID, _ kind: DatabaseKind) {
        self.device = device
        self.kind = kind
    }
}

/// The changes in a package since the last report.
///
/// Each part only states where to look. Use ``FileStamp``s and listings to find out what is
/// different.
public struct PackageChange: Hashable, Sendable {
    /// The time of the first event.
    public var since: ContinuousClock.Instant
    /// The time of the last event. For a single transaction, ``since`` is its start, and this is
    /// its end.
    public var until: ContinuousClock.Instant
    /// Databases that were written, created, replaced, renamed, or deleted.
    public var files: Set<DeviceFile> = []
    /// Devices whose folder was created, deleted, or renamed, or whose conflict copies changed. The
    /// databases of a folder that disappeared are not listed in ``files``.
    public var devices: Set<DeviceID> = []
    /// Blobs that were written, created, replaced, or deleted, by path. A folder's path stands for
    /// all blobs in it, and an empty path for all blobs.
    public var blobs: Set<Name> = []
    /// Whether events were lost, or too many occurred. Anything may be different.
    public var needsRescan = false
    /// Whether the package was deleted, moved away, or is no longer a package. No changes follow
    /// until ``hasReturned``.
    public var isDeleted = false
    /// Whether a package exists at the path again after ``isDeleted``. It can have different
    /// content. If the package disappeared and came back since the last report, this property and
    /// ``isDeleted`` are both `true`.
    public var hasReturned = false

    /// Creates an empty change at one instant.
    public init(since: ContinuousClock.Instant) {
        self.since = since
        until = since
    }

    /// Whether the change is empty.
    public var isEmpty: Bool {
        files.isEmpty && devices.isEmpty && blobs.isEmpty && !needsRescan && !isDeleted
            && !hasReturned
    }

    /// Adds a later change.
    public mutating func merge(_ other: PackageChange) {
        since = min(since, other.since)
        until = max(until, other.until)
        files.formUnion(other.files)
        devices.formUnion(other.devices)
        blobs.formUnion(other.blobs)
        needsRescan = needsRescan || other.needsRescan
        // If the package disappeared again after coming back, it is still missing.
        hasReturned = other.hasReturned || (hasReturned && !other.isDeleted)
        isDeleted = isDeleted || other.isDeleted
    }
}
