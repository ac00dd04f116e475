public import Foundation
public import Replication

extension KeyValueStore {
    /// Something that happened to the store, in the order in which it became visible.
    public struct Event: Sendable {
        /// The wall clock when it happened.
        public let date: Date
        /// What happened.
        public let kind: Kind

        /// What can happen to a store.
        public enum Kind: Sendable {
            /// All logs were read, for the first time or anew; look at everything again.
            case loaded(devices: Int, keys: Int, rows: Int)
            /// This device wrote: one event a `set` or a transaction.
            case changed(Changes)
            /// Rows of another device, or of another process of this one, are visible now.
            case synced(Sync)
            /// The heads of a key have begun to disagree; the winner's device is the first. The
            /// writer is the device whose rows began it: where that took back what had ended a
            /// conflict, it need not be among those that disagree.
            case conflict(key: String, devices: [DeviceID], by: DeviceID?)
            /// The heads of a key do not disagree any longer.
            case resolved(key: String)
            /// What is known of a device changed.
            case device(DeviceStatus)
            /// A file under `Blobs/` appeared, changed or went.
            case blob(path: String)
            /// Writing to the disk failed; the rows are kept and will be tried again, unless they
            /// are withdrawn.
            case saveFailed(message: String)
            /// The rows are in this device's log, but the disk did not confirm them. They are not
            /// written again.
            case saveUnconfirmed(message: String)
            /// What could not be written before is on disk, or was withdrawn.
            case saved
            /// The package is gone from its place. What was read stays readable.
            case deleted
            /// The package is in its place again; what is new in it follows.
            case returned
        }
    }

    /// Keys with the values that they have now.
    public struct Changes: Sendable {
        /// What one key says now.
        public struct Change: Sendable {
            /// The value as a binary property list; `nil` where the key was removed, and where the
            /// value is so long that it is left in its log.
            public let bytes: [UInt8]?
            /// How many bytes the value has; 0 where the key was removed.
            public let byteCount: Int
            /// The timestamp of the row that wins.
            public let timestamp: Timestamp
            /// Whether the key had no value before.
            public let isNew: Bool

            public var isRemoval: Bool { bytes == nil && byteCount == 0 }

            /// The value, decoded now; `nil` also for bytes that are no value, and for a value that
            /// is left in its log: ``KeyValueStore/value(forKey:)`` reads it.
            public var value: PropertyList? {
                bytes.flatMap { try? PropertyList(binary: $0) }
            }
        }

        /// Each key that changed, with what it says now.
        public let byKey: [Name: Change]

        /// In byte order.
        public var keys: [String] { byKey.keys.sorted().texts }

        /// What `key` says now; `nil` if it did not change.
        public subscript(key: String) -> Change? { byKey[key] }
    }

    /// What one reading of a device's log brought.
    public struct Sync: Sendable {
        /// The device whose log was read.
        public let device: DeviceID
        /// New rows in the log, those included that changed no value.
        public let rows: Int
        /// The newest of the new rows, in the order of their numbers; at most 500. Of rows that came
        /// between others, as in a log of PARStore 1's form, those that are the newest of their key.
        public let newest: [RowPosition]
        /// When the oldest of those rows was written, by the clock of its device; `nil` where there
        /// are none.
        public let oldest: Timestamp?
        /// The keys that the new rows are about, in byte order.
        public let keys: [String]
        /// The keys whose value is another now.
        public let changes: Changes
        /// From the file-system event to the rows being visible; `nil` if somebody asked for the
        /// sync instead.
        public let latency: Duration?
    }

    /// Events from now on. Each call gives a sequence of its own; none is lost, so a subscriber
    /// that does not read on lets them pile up. It ends when the store is closed; one that is asked
    /// for after that tells what happens when the store is loaded again.
    public func events() -> AsyncStream<Event> { hub.events() }
}
