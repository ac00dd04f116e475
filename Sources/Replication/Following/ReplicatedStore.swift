/// The configuration options that all stores over a package's logs share.
public protocol StoreConfiguration: Sendable {
    /// Creates the defaults for interactive programs.
    init()

    /// The clock for timestamps. Tests pass one that they control.
    var clock: HybridClock { get }
    /// The scheduler for delayed work. Tests pass one that they control.
    var scheduler: Scheduler { get }
    /// The time for which this device's file stays open after its last use.
    var closeDelay: Duration { get }
    /// The maximum time that a write waits for another process's lock on this device's file.
    var lockTimeout: Duration { get }
    /// Whether to watch the folder for changes. Otherwise, call `sync()`.
    var watchesFolder: Bool { get }
}

/// The interface of all stores that read the logs of all devices in a package.
public protocol ReplicatedStore: AnyObject, Sendable {
    /// The type of the store's events.
    associatedtype Event: Sendable
    /// The type of the store's configuration.
    associatedtype Configuration: StoreConfiguration

    /// Creates a store over a package. Nothing is read before ``load()``, and nothing is written
    /// before the first write.
    ///
    /// - Parameter device: The device that writes. Its first write creates its folder. `nil` for a
    ///   store that only reads.
    init(package: StorePackage, device: DeviceID?, configuration: Configuration)

    /// Reads all logs, for the first time or again, and follows them from then on. Reopens a closed
    /// store.
    ///
    /// - Throws: ``ReplicationError`` if the package is invalid. Problems of a single device's log
    ///   are in ``devices`` and don't affect the others.
    func load() async throws

    /// The status of each device's log, in order of devices.
    var devices: [DeviceStatus] { get async }

    /// Returns a new sequence of all later events, which ends when the store is closed. A sequence
    /// created after closing delivers events once the store is loaded again.
    func events() -> AsyncStream<Event>

    /// Writes all pending changes to disk.
    ///
    /// - Throws: Errors of writing.
    func save() async throws

    /// Checks all logs now and merges new rows.
    ///
    /// - Throws: ``ReplicationError`` if the package is missing or can't be listed.
    func sync() async throws

    /// Saves, stops following, and ends all event sequences.
    ///
    /// - Throws: As ``save()``. The store is closed anyway.
    func close() async throws
}

extension ReplicatedStore {
    /// Creates a store over a package and loads it. Combines
    /// ``init(package:device:configuration:)`` and ``load()``.
    ///
    /// - Parameter device: The device that writes; `nil` for a store that only reads.
    /// - Throws: As ``load()``.
    /// - Complexity: As ``load()``.
    public static func open(
        _ package: StorePackage, device: DeviceID? = nil,
        configuration: Configuration = Configuration()
    ) async throws -> Self {
        let store = Self(package: package, device: device, configuration: configuration)
        try await store.load()
        return store
    }

    /// Creates a store over the package at a path and loads it. A missing package is created if
    /// `device` is given.
    ///
    /// - Parameter device: The device that writes; `nil` for a store that only reads.
    /// - Throws: ``ReplicationError``, as ``StorePackage/init(creating:)``,
    ///   ``StorePackage/init(opening:)``, and ``load()``.
    /// - Complexity: As ``load()``.
    public static func open(
        package path: String, device: DeviceID? = nil,
        configuration: Configuration = Configuration()
    ) async throws -> Self {
        try await open(
            StorePackage(path, writtenBy: device), device: device, configuration: configuration)
    }
}

extension LogFollower.Options {
    /// Creates follower options from a store's configuration.
    public init(_ configuration: some StoreConfiguration) {
        watches = configuration.watchesFolder
        idleTime = configuration.closeDelay
        lockWait = LockWait(configuration.lockTimeout)
        clock = configuration.clock
        scheduler = configuration.scheduler
    }
}
