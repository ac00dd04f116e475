public import Replication

extension KeyValueStore {
    /// How a store behaves in time, and what it asks its user.
    public struct Configuration: StoreConfiguration {
        /// Gives timestamps; tests pass one with a clock of their own.
        public var clock = HybridClock()
        /// Runs what is to happen later; tests pass one that waits for them.
        public var scheduler: Scheduler = .dispatch()
        /// Saving begins this long after the last change …
        public var saveDelay: Duration = .seconds(1)
        /// … but at most this long after the first that is not saved.
        public var saveDelayLimit: Duration = .seconds(15)
        /// This device's file is closed when it was not used for this long.
        public var closeDelay: Duration = .seconds(60)
        /// How long saving waits for a lock that another process holds on this device's log.
        public var lockTimeout: Duration = .seconds(5)
        /// How long ``KeyValueStore/close()`` waits for it, and a save that it finds under way.
        public var closeTimeout: Duration = .seconds(1)
        /// Longer values, in bytes of their property lists, stay in their logs: opening the store
        /// and listing its rows tells how long they are. ``KeyValueStore/value(forKey:)`` and
        /// ``KeyValueStore/bytes(of:)`` read one when it is asked for.
        public var longestValue = 8 << 20
        /// Whether changes of the folder are looked for by themselves. Without, call `sync()`.
        public var watchesFolder = true
        /// The form of this device's log if it has to be created; `nil` follows the package:
        /// PARStore 1's where another device has that, else `tideline-2`. The first device of that form
        /// has it from here; see ``KeyValueStore/createLog()``.
        public var format: LogFormat?
        /// Sees the rows of another device before they are applied, on the store's own queue, and
        /// may answer with further changes, which are written as this device's after them.
        ///
        /// It may read the store; it must not wait for `save`, `sync` or `load`.
        public var willSync: (@Sendable (PendingSync) -> [Name: PropertyList?])?

        /// What a program with a person before it needs: it saves after a second, and watches the
        /// folder.
        public init() {}
    }

    /// Rows of another device that are about to be applied.
    public struct PendingSync: Sendable {
        /// The device that wrote them.
        public let device: DeviceID
        /// The newest row of each key that the device wrote since.
        public let rows: [LogRow]
    }
}
