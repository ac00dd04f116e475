import Foundation
import GRDB
public import Replication

extension KeyValueStore {
    /// Copies all rows and blobs of another store, such as a diverged copy of this one.
    ///
    /// Each device's log gets the rows that only the other store has. This merge is not safe for a
    /// device that continues to write to its log elsewhere; name such devices in `unsafeDevices`.
    /// Their logs stay unchanged, and the other store's additional rows go into a log of the
    /// artificial device `<own>|<device>`. If both stores have a blob with different bytes, the
    /// newer file becomes the blob and the older one becomes a conflict copy. Afterward, all logs
    /// are read again. Rows of the other store that can't be read are left out; its ``devices``
    /// report such logs.
    ///
    /// - Parameter other: A store opened as the same device. It is not changed.
    /// - Returns: The number of new rows.
    /// - Throws: ``KeyValueError``: `.cannotMerge` for stores of different devices, or if the own
    ///   device is listed as unsafe; `ReplicationError`: `.unreadable` if a log of this store can't
    ///   be read; after everything else is merged, an error of a blob, such as `.incomplete` if a
    ///   sync service has not downloaded it.
    /// - Complexity: Reads all rows of both stores, one device at a time, and keeps that device's
    ///   rows in memory. Also reads the blobs that both stores have in the same size.
    @discardableResult
    public func merge(
        _ other: KeyValueStore, unsafeDevices: Set<DeviceID> = []
    ) throws -> Int {
        let (count, blobs) = try merging(other, unsafeDevices: unsafeDevices)
        if let failure = blobs.failure { throw failure }
        return count
    }

    /// Works like ``merge(_:unsafeDevices:)``, but also returns the blobs and their first error.
    package func merging(
        _ other: KeyValueStore, unsafeDevices: Set<DeviceID> = []
    ) throws -> (rows: Int, blobs: BlobFolder.Merged) {
        let (device, ours, theirs) = try mergeable(other, unsafeDevices)
        try save()
        try other.save()
        var count = 0
        for status in other.devices where status.format != nil {
            count += try merge(
                status, of: other, isUnsafe: unsafeDevices.contains(status.device), own: device)
        }
        let blobs = try ours.blobs.merge(theirs.blobs, isPreview: false)
        try load()
        return (count, blobs)
    }

    /// The rows and blobs that ``merge(_:unsafeDevices:)`` would copy.
    public struct MergePreview: Hashable, Sendable {
        /// The number of new rows for each log that would receive rows.
        public var rows: [DeviceID: Int]
        /// The paths of the blobs that would be copied.
        public var blobs: [String]
        /// The paths of the conflict copies that would be written.
        public var conflictCopies: [String]
    }

    /// Returns the rows and blobs that ``merge(_:unsafeDevices:)`` would copy. Changes nothing.
    ///
    /// - Throws: As ``merge(_:unsafeDevices:)``.
    /// - Complexity: As ``merge(_:unsafeDevices:)``.
    public func previewMerge(
        _ other: KeyValueStore, unsafeDevices: Set<DeviceID> = []
    ) throws -> MergePreview {
        let (preview, failure) = try previewingMerge(other, unsafeDevices: unsafeDevices)
        if let failure { throw failure }
        return preview
    }

    /// Works like ``previewMerge(_:unsafeDevices:)``, but returns the first error of a blob instead
    /// of throwing it.
    package func previewingMerge(
        _ other: KeyValueStore, unsafeDevices: Set<DeviceID>
    ) throws -> (preview: MergePreview, failure: ReplicationError?) {
        let (device, ours, theirs) = try mergeable(other, unsafeDevices)
        var rows: [DeviceID: Int] = [:]
        for status in other.devices where status.format != nil {
            var log = status.device
            var extra = try extraRows(status.device, of: other)
            if unsafeDevices.contains(status.device) {
                log = try DeviceID("\(device.name)|\(status.device.name)")
                extra = try missingRows(among: extra + other.wholeRows(of: log), in: log)
            }
            if !extra.isEmpty { rows[log, default: 0] += extra.count }
        }
        let merged = try ours.blobs.merge(theirs.blobs, isPreview: true)
        return (
            MergePreview(rows: rows, blobs: merged.blobs, conflictCopies: merged.conflictCopies),
            merged.failure
        )
    }

    /// Returns the device of both stores, and their packages.
    ///
    /// - Throws: ``KeyValueError`` if the stores can't be merged; `ReplicationError`,
    ///   `.unreadable`, if a log of this store would get rows, but can't be read.
    private func mergeable(
        _ other: KeyValueStore, _ unsafeDevices: Set<DeviceID>
    ) throws -> (device: DeviceID, ours: StorePackage, theirs: StorePackage) {
        guard let files, let theirs = other.package else {
            throw KeyValueError(.inMemory, "a store in memory can't be merged")
        }
        guard let device, device == other.device else {
            throw KeyValueError(
                .cannotMerge, "only two stores that are opened as the same device can be merged")
        }
        guard !unsafeDevices.contains(device) else {
            throw KeyValueError(
                .cannotMerge,
                "an unsafe device can't write the merged rows: merge as a device other than "
                    + "\(device)")
        }
        guard isLoaded, other.isLoaded else {
            throw KeyValueError(.notLoaded, "both stores must be loaded")
        }
        guard theirs.path != files.package.path else {
            throw KeyValueError(.cannotMerge, "a store can't be merged with itself")
        }
        // Unread rows would seem to be missing. Appended rows would follow a gap, or get the
        // numbers of unread rows.
        let merged = Set(other.devices.filter { $0.format != nil }.map(\.device))
        try failIfUnread(unreadLogs.filter { merged.contains($0.key) })
        return (device, files.package, theirs)
    }

    /// Returns the rows of a device's log that only the other store has.
    private func extraRows(_ device: DeviceID, of other: KeyValueStore) throws -> [LogRow] {
        try missingRows(among: other.wholeRows(of: device), in: device)
    }

    /// Returns those of `rows` that a device's log in this store lacks.
    private func missingRows(among rows: [LogRow], in device: DeviceID) throws -> [LogRow] {
        let ours = Set(try wholeRows(of: device).map(\.content))
        return rows.filter { !ours.contains($0.content) }
    }

    /// Copies the rows of another version of one device's log, such as a sync service's conflict
    /// copy.
    ///
    /// Rows of this store's device go into the log of this device. If another device owns the log,
    /// the rows go into a log of the artificial device `<own>|<device>`, because the owner
    /// continues to write to the original log. The copy stays unchanged.
    ///
    /// - Returns: The number of new rows.
    /// - Throws: ``KeyValueError``, `.cannotMerge` if the owner of the log is unknown;
    ///   `ReplicationError` if the copy, or this device's log that would get its rows, can't be
    ///   read.
    /// - Complexity: Reads all rows of the device's log and of the copy, and keeps them in memory.
    @discardableResult
    public func merge(logAt path: String) throws -> Int {
        guard let files, let device else { throw KeyValueError.withoutDevice }
        guard isLoaded else { throw KeyValueError(.notLoaded, "the store is not loaded") }
        try save()
        let folder = URL(filePath: path).deletingLastPathComponent().lastPathComponent
        let neighbor = devices.first { $0.device.name == folder }?.device
        let owner = try ForeignDatabase.value(from: path) { database in
            let isOurs = try LogForm.detect(database, path: path).format == .tideline2
            return isOurs ? try LogIdentity.fetch(from: database)?.device : neighbor
        }
        guard let owner else {
            throw KeyValueError(
                .cannotMerge,
                "\(path) doesn't name its device: move it into that device's folder")
        }
        let log = ReadableLog(
            device: owner, path: path, lastID: nil, leavesOutRows: true, longest: .max)
        let found = try LogReader.read(log) { try $0.rows(LogReader.Condition()) }
        let theirs = found.sorted { $0.position < $1.position }
        if owner == device { try failIfUnread(unreadLogs.filter { $0.key == device }) }
        let extra = try missingRows(among: theirs, in: owner)
        let count =
            try owner == device
            ? files.onQueue {
                try insert(extra, into: owner)
            } : takeOver(extra, of: owner, into: DeviceID("\(device.name)|\(owner.name)"))
        try load()
        return count
    }

    private func merge(
        _ status: DeviceStatus, of other: KeyValueStore, isUnsafe: Bool, own: DeviceID
    ) throws -> Int {
        guard let files else { return 0 }
        let extra = try extraRows(status.device, of: other)
        guard isUnsafe else {
            let template = status.format == .parstore1 ? try other.template(of: status.device) : nil
            return try files.onQueue {
                try insert(extra, into: status.device, template: template)
            }
        }
        let stand = try DeviceID("\(own.name)|\(status.device.name)")
        let taken = try missingRows(among: other.wholeRows(of: stand), in: status.device)
        return try takeOver(extra + taken, of: status.device, into: stand)
    }

    /// Moves rows of a device that continues to write elsewhere into a separate log. Each moved row
    /// names its parents explicitly, because its previous row can be in the device's own log.
    private func takeOver(
        _ gathered: [LogRow], of device: DeviceID, into stand: DeviceID
    ) throws -> Int {
        guard let files else { return 0 }
        // References to moved rows must name the log that contains the rows afterward.
        let moved = Set(gathered.map { LogRow.Place($0) })
        let rows = gathered.map { row in
            var parents = row.parents
            if parents == nil, let timestamp = row.parentTimestamp {
                parents = [LogRow.Reference(device: device, timestamp: timestamp)]
            }
            func place(_ named: LogRow.Reference) -> LogRow.Reference {
                named.device == device
                    && moved.contains(.init(key: row.key, timestamp: named.timestamp))
                    ? LogRow.Reference(device: stand, timestamp: named.timestamp) : named
            }
            return LogRow(
                device: stand, id: row.id, timestamp: row.timestamp, key: row.key,
                bytes: row.bytes, parentTimestamp: row.parentTimestamp,
                parents: parents?.map(place), reverts: row.reverts.map(place))
        }
        return try files.onQueue {
            try insert(rows.sorted { $0.position < $1.position }, into: stand)
        }
    }

    /// Returns the tables of a device's log in PARStore 1's format.
    func template(of device: DeviceID) throws -> ParstoreTemplate? {
        guard let path = try package?.device(device).path(of: .logs) else { return nil }
        return try ForeignDatabase.value(from: path) { try ParstoreTemplate($0) }
    }
}

extension LogRow {
    /// The content by which two rows of a device are recognized as the same row in different logs.
    struct Content: Hashable {
        let timestamp: Timestamp
        let parentTimestamp: Timestamp?
        @Name var key: String
        let bytes: Data?
    }

    /// A reference to a row of one device.
    struct Place: Hashable {
        @Name var key: String
        let timestamp: Timestamp

        init(key: String, timestamp: Timestamp) {
            self.key = key
            self.timestamp = timestamp
        }

        init(_ row: LogRow) { self.init(key: row.key, timestamp: row.timestamp) }
    }

    var content: Content {
        Content(
            timestamp: timestamp, parentTimestamp: parentTimestamp, key: key, bytes: bytes)
    }
}
