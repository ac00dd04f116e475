public import Foundation
public import Replication

extension KeyValueStore {
    /// An event of a store. Events are in the order in which the changes became visible.
    public struct Event: Sendable {
        /// The time of the wall clock.
        public let date: Date
        /// The kind of event, with its details.
        public let kind: Kind

        /// The kinds of events.
        public enum Kind: Sendable {
            /// All logs were read, for the first time or again. Any value may have changed.
            case loaded(devices: Int, keys: Int, rows: Int)
            /// This device wrote. Each `set` or transaction results in one event.
            case changed(Changes)
            /// Rows of another device, or rows that another process of this device wrote, became
            /// visible.
            case synced(Sync)
            /// A key is now in conflict. `devices` are the writers of the sides, the winner's
            /// first. `by` is the device whose rows caused the conflict. This device may have no
            /// side, for example if it reverted the row that had resolved the conflict.
            case conflict(key: String, devices: [DeviceID], by: DeviceID?)
            /// A key is no longer in conflict.
            case resolved(key: String)
            /// The status of a device changed.
            case device(DeviceStatus)
            /// A file under `Blobs/` was created, changed, or deleted.
            case blob(path: String)
            /// Writing to disk failed. The rows are kept and retried until they are withdrawn.
            case saveFailed(message: String)
            /// The rows are in this device's log, but the disk didn't confirm them. They aren't
            /// written again.
            case saveUnconfirmed(message: String)
            /// Rows that could not be written before are on disk, or were withdrawn.
            case saved
            /// The package was deleted or moved away. Its loaded values stay readable.
            case deleted
            /// The package exists again. Events for its changes follow.
            case returned
        }
    }

    /// Keys with their current values.
    public struct Changes: Sendable {
        /// The current state of one key.
        public struct Change: Sendable {
            /// The value as a binary property list; `nil` if the key was removed, or if the value
            /// is so long that it stays in its log.
            public let bytes: [UInt8]?
            /// The length of the value in bytes; 0 if the key was removed.
            public let byteCount: Int
            /// The timestamp of the winner.
            public let timestamp: Timestamp
            /// Whether the key had no value before.
            public let isNew: Bool

            public var isRemoval: Bool { bytes == nil && byteCount == 0 }

            /// The value, decoded on access. `nil` if the key was removed, if the bytes are not a
            /// value, or if the value stays in its log. ``KeyValueStore/value(forKey:)`` reads a
            /// value from its log.
            public var value: PropertyList? {
                bytes.flatMap { try? PropertyList(binary: $0) }
            }
        }

        /// The current state of each changed key.
        public let byKey: [Name: Change]

        /// The changed keys, in byte order.
        public var keys: [String] { byKey.keys.sorted().texts }

        /// The current state of `key`, or `nil` if it didn't change.
        public subscript(key: String) -> Change? { byKey[key] }
    }

    /// The result of reading a device's log.
    public struct Sync: Sendable {
        /// The device whose log was read.
        public let device: DeviceID
        /// The number of new rows in the log, including those that changed no value.
        public let rows: Int
        /// The newest of the new rows, in the order of their numbers; at most 500. If rows were
        /// inserted between others, as PARStore 1's format allows, the list contains only the
        /// newest row of each key.
        public let newest: [RowPosition]
        /// The time of the oldest new row, by its device's clock; `nil` if there are none.
        public let oldest: Timestamp?
        /// The keys of the new rows, in byte order.
        public let keys: [String]
        /// The keys whose value changed.
        public let changes: Changes
        /// The time from the file-system event until the rows became visible; `nil` for a requested
        /// sync.
        public let latency: Duration?
    }

    /// Returns a new sequence of all later events. No event is dropped, so events accumulate if the
    /// subscriber doesn't read. The sequence ends when the store is closed. A sequence created
    /// after that starts when the store is loaded again.
    public func events() -> AsyncStream<Event> { hub.events() }
}
