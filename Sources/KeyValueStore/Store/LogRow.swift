public import Foundation
public import Replication

/// One row of a device's log: that a key got a value, or lost it, at an instant.
public struct LogRow: Hashable, Sendable {
    /// A row named by its device and timestamp; with its key that is one row of the store.
    public struct Reference: Hashable, Sendable, Codable {
        /// The device that wrote the row.
        public let device: DeviceID
        /// The row's timestamp.
        public let timestamp: Timestamp

        /// The name of a row, whether it is here or not.
        public init(device: DeviceID, timestamp: Timestamp) {
            self.device = device
            self.timestamp = timestamp
        }
    }

    /// The device whose log the row is in.
    public let device: DeviceID
    /// The row's number in its log, from 1; in a PARStore 1 log Core Data's primary key.
    public let id: Int64
    /// When it was written, by the writer's hybrid clock: later than all that it had seen of the
    /// key.
    public let timestamp: Timestamp
    /// The key that got the value.
    @Name public private(set) var key: String
    /// The value as a binary property list; `nil` for a deletion, and for a value that was left in
    /// its log because it is long.
    public let bytes: Data?
    /// How many bytes the value has; 0 for a deletion.
    public let byteCount: Int
    /// The newest timestamp of the key, of any device, that the writer knew; `nil` for the first.
    public let parentTimestamp: Timestamp?
    /// Every head of the key that the writer knew.
    ///
    /// `nil` where the log says no more than ``parentTimestamp``: in PARStore 1 logs, and where
    /// the row's only cause is its device's own row before.
    public let parents: [Reference]?
    /// Rows of the same device that this one takes back: as if they had never been written, but for
    /// those who built on them. Such a row knows what it names and no more, and says again what the
    /// row that it names said; see ``KeyValueStore/takeBack(_:)``.
    public let takesBack: [Reference]

    /// - Parameter byteCount: Of a value that is left in its log; else that of `bytes`.
    public init(
        device: DeviceID, id: Int64, timestamp: Timestamp, key: String, bytes: Data?,
        byteCount: Int? = nil, parentTimestamp: Timestamp? = nil, parents: [Reference]? = nil,
        takesBack: [Reference] = []
    ) {
        self.device = device
        self.id = id
        self.timestamp = timestamp
        self.key = key
        self.bytes = bytes
        self.byteCount = bytes?.count ?? byteCount ?? 0
        self.parentTimestamp = parentTimestamp
        self.parents = parents
        self.takesBack = takesBack
    }

    init(
        device: DeviceID, id: Int64, timestamp: Timestamp, key: String, value: LoadedValue,
        parentTimestamp: Timestamp? = nil, parents: [Reference]? = nil,
        takesBack: [Reference] = []
    ) {
        var byteCount: Int?
        if case .long(let count) = value { byteCount = count }
        self.init(
            device: device, id: id, timestamp: timestamp, key: key,
            bytes: value.bytes.map { Data($0) }, byteCount: byteCount,
            parentTimestamp: parentTimestamp, parents: parents, takesBack: takesBack)
    }

    /// - Parameter content: Of a statement that stands on the row; copied.
    init(
        device: DeviceID, id: Int64, timestamp: Timestamp, key: String,
        content: ValueColumn.Content?, parentTimestamp: Timestamp?, parents: [Reference]?,
        takesBack: [Reference]
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
            takesBack: takesBack)
    }

    /// Whether the key lost its value.
    public var isDeletion: Bool { bytes == nil && byteCount == 0 }

    /// Whether the value was left in its log: ``KeyValueStore/bytes(of:)`` reads it.
    public var isLeftInLog: Bool { bytes == nil && byteCount > 0 }

    var loadedValue: LoadedValue {
        isLeftInLog ? .long(byteCount) : LoadedValue(bytes.map { [UInt8]($0) })
    }

    /// The value, decoded now; `nil` for a deletion.
    ///
    /// - Throws: ``PropertyListError`` for bytes that are no value, and `.tooLarge` for a value that
    ///   was left in its log.
    public func value() throws(PropertyListError) -> PropertyList? {
        if isLeftInLog { throw PropertyListError(leftInLog: byteCount) }
        guard let bytes else { return nil }
        return try PropertyList(binary: bytes)
    }

    /// The row's name: its device and timestamp.
    public var reference: Reference { Reference(device: device, timestamp: timestamp) }
}

/// A row to put into a device's log with the timestamps that it has, as importing and merging do.
///
/// It carries all that its writer knew of the key, so that in another log it is in conflict with
/// what it was in conflict with: with ``parents`` every row that it builds on; without, the row with
/// ``parentTimestamp``, its device's own where that has one; with neither, nothing.
public struct Change: Hashable, Sendable {
    /// The timestamp that the row has, and keeps.
    public let timestamp: Timestamp
    /// The newest timestamp of the key, of any device, that the writer knew; `nil` for the first.
    public let parentTimestamp: Timestamp?
    /// Every head of the key that the writer knew; `nil` where no more than ``parentTimestamp`` is
    /// known.
    public let parents: [LogRow.Reference]?
    /// Rows of the same device that it takes back; see ``LogRow/takesBack``.
    public let takesBack: [LogRow.Reference]
    /// The key that got the value.
    @Name public private(set) var key: String
    /// The value as a binary property list, or `nil` for a deletion.
    public let bytes: Data?
    /// Whether it was made of a row whose value was left in its log, so that it cannot be inserted.
    public private(set) var lacksValue = false

    /// A change whose value is encoded already; the bytes are not looked into.
    public init(
        timestamp: Timestamp, parentTimestamp: Timestamp? = nil,
        parents: [LogRow.Reference]? = nil, takesBack: [LogRow.Reference] = [], key: String,
        bytes: Data?
    ) {
        self.timestamp = timestamp
        self.parentTimestamp = parentTimestamp
        self.parents = parents
        self.takesBack = takesBack
        self.key = key
        self.bytes = bytes
    }

    /// A row of a log as a change, with all that it says. A row whose value was left in its log
    /// makes one that cannot be inserted.
    public init(_ row: LogRow) {
        self.init(
            timestamp: row.timestamp, parentTimestamp: row.parentTimestamp, parents: row.parents,
            takesBack: row.takesBack, key: row.key, bytes: row.bytes)
        lacksValue = row.isLeftInLog
    }

    /// A change with a value that is encoded for it; `nil` for a deletion.
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

    /// Whether all its times are such that rows can have them.
    var isRecordable: Bool {
        timestamp.isRecordable && parentTimestamp?.isRecordable ?? true
            && ((parents ?? []) + takesBack).allSatisfy(\.timestamp.isRecordable)
    }
}
