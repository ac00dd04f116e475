public import Foundation
public import Replication

/// One row of a device's log: that a key got a value, or lost it, at an instant.
public struct LogRow: Hashable, Sendable {
    /// A row named by its device and timestamp; with its key that is one row of the store.
    public struct Reference: Hashable, Sendable {
        public let device: DeviceID
        public let timestamp: Timestamp

        public init(device: DeviceID, timestamp: Timestamp) {
            self.device = device
            self.timestamp = timestamp
        }
    }

    public let device: DeviceID
    /// The row's number in its log, from 1; in a PARStore 1 log Core Data's primary key.
    public let id: Int64
    public let timestamp: Timestamp
    @Name public private(set) var key: String
    /// The value as a binary property list, or `nil` for a deletion.
    public let bytes: Data?
    /// The newest timestamp of the key, of any device, that the writer knew; `nil` for the first.
    public let parentTimestamp: Timestamp?
    /// Every head of the key that the writer knew.
    ///
    /// `nil` where the log says no more than ``parentTimestamp``: in PARStore 1 logs, and where
    /// the row's only cause is its device's own row before.
    public let parents: [Reference]?

    public init(
        device: DeviceID, id: Int64, timestamp: Timestamp, key: String, bytes: Data?,
        parentTimestamp: Timestamp? = nil, parents: [Reference]? = nil
    ) {
        self.device = device
        self.id = id
        self.timestamp = timestamp
        self.key = key
        self.bytes = bytes
        self.parentTimestamp = parentTimestamp
        self.parents = parents
    }

    public var isDeletion: Bool { bytes == nil }

    /// The value, decoded now; `nil` for a deletion.
    ///
    /// - Throws: ``PropertyListError`` for bytes that are no value.
    public func value() throws(PropertyListError) -> PropertyList? {
        guard let bytes else { return nil }
        return try PropertyList(binary: bytes)
    }

    public var reference: Reference { Reference(device: device, timestamp: timestamp) }
}

/// A row to put into a device's log with the timestamps that it has, as importing and merging do.
public struct Change: Hashable, Sendable {
    public let timestamp: Timestamp
    public let parentTimestamp: Timestamp?
    @Name public private(set) var key: String
    /// The value as a binary property list, or `nil` for a deletion.
    public let bytes: Data?

    public init(
        timestamp: Timestamp, parentTimestamp: Timestamp? = nil, key: String, bytes: Data?
    ) {
        self.timestamp = timestamp
        self.parentTimestamp = parentTimestamp
        self.key = key
        self.bytes = bytes
    }

    /// Whether all its times are such that rows can have them.
    var isRecordable: Bool {
        timestamp.isRecordable && parentTimestamp?.isRecordable ?? true
    }

    /// - Throws: ``PropertyListError`` for a value nested too deeply.
    public init(
        timestamp: Timestamp, parentTimestamp: Timestamp? = nil, key: String,
        value: PropertyList?
    ) throws(PropertyListError) {
        self.init(
            timestamp: timestamp, parentTimestamp: parentTimestamp, key: key,
            bytes: try value?.binary())
    }
}
