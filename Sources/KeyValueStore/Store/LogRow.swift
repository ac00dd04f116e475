public import Foundation
public import Replication

/// A row of a device's log: the record that a key was set or removed at an instant.
public struct LogRow: Hashable, Sendable {
    /// A reference to a row by its device and timestamp. A key and a reference together identify
    /// one row of the store.
    public struct Reference: Hashable, Sendable, Codable {
        /// The device that wrote the row.
        public let device: DeviceID
        /// The row's timestamp.
        public let timestamp: Timestamp

        /// Creates a reference. The row doesn't have to be available.
        public init(device: DeviceID, timestamp: Timestamp) {
            self.device = device
            self.timestamp = timestamp
        }
    }

    /// The device whose log the row is in.
    public let device: DeviceID
    /// The row's number in its log, from 1. In a PARStore 1 log, Core Data's primary key.
    public let id: Int64
    /// The time of the row by the writer's hybrid clock. It is later than all rows of the key that
    /// the writer had seen.
    public let timestamp: Timestamp
    /// The key that was set or removed.
    @Name public private(set) var key: String
    /// The value as a binary property list; `nil` for a deletion, and for a long value that stays
    /// in its log.
    public let bytes: Data?
    /// The length of the value in bytes; 0 for a deletion.
    public let byteCount: Int
    /// The newest timestamp of the key, from any device, that the writer had seen; `nil` for the
    /// first row.
    public let parentTimestamp: Timestamp?
    /// The causal parents: every head of the key that the writer had seen.
    ///
    /// `nil` if the log has only ``parentTimestamp``. This is the case in PARStore 1 logs, and if
    /// the only parent is the previous row of the same device.
    public let parents: [Reference]?
    /// Rows of the same device that this row reverts. A reverted row counts as never written, but
    /// rows that build on it have still seen it.
    ///
    /// If a row reverts other rows, its only parents are those that it names, and its value is the
    /// value of the named parent. See ``KeyValueStore/revert(_:)``.
    public let reverts: [Reference]

    /// Creates a row.
    ///
    /// - Parameter byteCount: The length of the value. Pass it if the value stays in its log and
    ///   `bytes` is `nil`; by default, the length of `bytes`.
    public init(
        device: DeviceID, id: Int64, timestamp: Timestamp, key: String, bytes: Data?,
        byteCount: Int? = nil, parentTimestamp: Timestamp? = nil, parents: [Reference]? = nil,
        reverts: [Reference] = []
    ) {
        self.device = device
        self.id = id
        self.timestamp = timestamp
        self.key = key
        self.bytes = bytes
        self.byteCount = bytes?.count ?? byteCount ?? 0
        self.parentTimestamp = parentTimestamp
        self.parents = parents
        self.reverts = reverts
    }

    init(
        device: DeviceID, id: Int64, timestamp: Timestamp, key: String, value: LoadedValue
    ) {
        var byteCount: Int?
        if case .long(let count) = value { byteCount = count }
        self.init(
            device: device, id: id, timestamp: timestamp, key: key,
            bytes: value.bytes.map { Data($0) }, byteCount: byteCount)
    }

    /// Creates a row.
    ///
    /// - Parameter content: The value in the statement's current row, which is copied.
    init(
        device: DeviceID, id: Int64, timestamp: Timestamp, key: String,
        content: ValueColumn.Content?, parentTimestamp: Timestamp?, parents: [Reference]?,
        reverts: [Reference]
    ) {
        var bytes: Data?
        var byteCount: Int?
        switch content {
        case .bytes(let content): bytes = Data(buffer: content)
        case .long(let count): byteCount = count
        case .removal, nil: break
        }
        self.init(
            device: device, id: id, timestamp: timestamp, key: key, bytes: bytes,
            byteCount: byteCount, parentTimestamp: parentTimestamp, parents: parents,
            reverts: reverts)
    }

    /// Whether the row removed the key.
    public var isDeletion: Bool { bytes == nil && byteCount == 0 }

    /// Whether the value stays in its log. ``KeyValueStore/bytes(of:)`` reads it.
    public var isLeftInLog: Bool { bytes == nil && byteCount > 0 }

    var loadedValue: LoadedValue {
        isLeftInLog ? .long(byteCount) : LoadedValue(bytes.map { [UInt8]($0) })
    }

    /// Decodes and returns the value; `nil` for a deletion.
    ///
    /// - Throws: ``PropertyListError`` for bytes that are not a value, and `.tooLarge` for a value
    ///   that stays in its log.
    public func value() throws(PropertyListError) -> PropertyList? {
        if isLeftInLog { throw PropertyListError(leftInLog: byteCount) }
        guard let bytes else { return nil }
        return try PropertyList(binary: bytes)
    }

    /// A reference to the row: its device and timestamp.
    public var reference: Reference { Reference(device: device, timestamp: timestamp) }
}

/// A row to insert into a device's log with its original timestamps, as importing and merging do.
///
/// The change includes the row's causal parents, so that the row has the same conflicts in another
/// log. ``parents`` names all of them. If ``parents`` is `nil`, ``parentTimestamp`` names a single
/// parent. If the device itself has a row with this timestamp, that row is the parent. If both
/// properties are `nil`, the row has no parents.
public struct Change: Hashable, Sendable {
    /// The timestamp of the row, which is preserved.
    public let timestamp: Timestamp
    /// The newest timestamp of the key, from any device, that the writer had seen; `nil` for the
    /// first row.
    public let parentTimestamp: Timestamp?
    /// Every head of the key that the writer had seen; `nil` if only ``parentTimestamp`` is known.
    public let parents: [LogRow.Reference]?
    /// Rows of the same device that this row reverts; see ``LogRow/reverts``.
    public let reverts: [LogRow.Reference]
    /// The key that was set or removed.
    @Name public private(set) var key: String
    /// The value as a binary property list, or `nil` for a deletion.
    public let bytes: Data?
    /// Whether the change was created from a row whose value stays in its log. Such a change can't
    /// be inserted.
    public private(set) var lacksValue = false

    /// Creates a change with an encoded value, which is not validated.
    public init(
        timestamp: Timestamp, parentTimestamp: Timestamp? = nil,
        parents: [LogRow.Reference]? = nil, reverts: [LogRow.Reference] = [], key: String,
        bytes: Data?
    ) {
        self.timestamp = timestamp
        self.parentTimestamp = parentTimestamp
        self.parents = parents
        self.reverts = reverts
        self.key = key
        self.bytes = bytes
    }

    /// Creates a change from a row of a log. If the row's value stays in its log, the change can't
    /// be inserted.
    public init(_ row: LogRow) {
        self.init(
            timestamp: row.timestamp, parentTimestamp: row.parentTimestamp, parents: row.parents,
            reverts: row.reverts, key: row.key, bytes: row.bytes)
        lacksValue = row.isLeftInLog
    }

    /// Creates a change and encodes its value; `nil` for a deletion.
    ///
    /// - Throws: ``PropertyListError``, `.tooDeep`, for a value nested too deeply.
    public init(
        timestamp: Timestamp, parentTimestamp: Timestamp? = nil,
        parents: [LogRow.Reference]? = nil, key: String, value: PropertyList?
    ) throws(PropertyListError) {
        self.init(
            timestamp: timestamp, parentTimestamp: parentTimestamp, parents: parents, key: key,
            bytes: try value?.binary())
    }

    /// Whether all times are valid for rows.
    var isRecordable: Bool {
        timestamp.isRecordable && parentTimestamp?.isRecordable ?? true
            && ((parents ?? []) + reverts).allSatisfy(\.timestamp.isRecordable)
    }
}
