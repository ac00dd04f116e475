public import Replication

extension KeyValueStore {
    /// Timing and other options of a store.
    public struct Configuration: StoreConfiguration {
        /// The clock for timestamps. Tests pass one that they control.
        public var clock = HybridClock()
        /// The scheduler for delayed work. Tests pass one that they control.
        public var scheduler: Scheduler = .dispatch()
        /// The delay between the last change and saving.
        public var saveDelay: Duration = .seconds(1)
        /// The maximum delay between the first unsaved change and saving.
        public var saveDelayLimit: Duration = .seconds(15)
        /// The time for which this device's file stays open after its last use.
        public var closeDelay: Duration = .seconds(60)
        /// The maximum time that saving waits for another process's lock on this device's log.
        public var lockTimeout: Duration = .seconds(5)
        /// The maximum time that ``KeyValueStore/close()`` waits for another process's lock and for
        /// a save in progress.
        public var closeTimeout: Duration = .seconds(1)
        /// The maximum length of values to load, in bytes of their property lists. Longer values
        /// stay in their logs, so lists of entries and rows have only their lengths.
        /// ``KeyValueStore/value(forKey:)`` and ``KeyValueStore/bytes(of:)`` read them on request.
        public var longestValue = 8 << 20
        /// Whether to watch the folder for changes. Otherwise, call `sync()`.
        public var watchesFolder = true
        /// The format for this device's log if it has to be created. `nil` follows the package:
        /// PARStore 1's format if another device uses it, otherwise `tideline-2`. Set this for the
        /// first device with PARStore 1's format; see ``KeyValueStore/createLog()``.
        public var format: LogFormat?
        /// A hook that receives the rows of another device before they are applied. The hook runs
        /// on the store's own queue and may return further changes. Afterward, the store sets these
        /// changes as this device's own.
        ///
        /// The hook may read the store, but must not wait for `save`, `sync`, or `load`.
        public var willSync: (@Sendable (PendingSync) -> [Name: PropertyList?])?

        /// Creates the defaults for interactive programs: save after a second, and watch the
        /// folder.
        public init() {}
    }

    /// Rows of another device that are about to be applied.
    public struct PendingSync: Sendable {
        /// The device that wrote the rows.
        public let device: DeviceID
        /// The device's newest row of each key since the last call of the hook.
        public let rows: [LogRow]
    }
}
