/// How a store behaves in time: what all stores over a package's logs have in common.
public protocol StoreConfiguration: Sendable {
    /// What a program with a person before it needs.
    init()

    /// Gives timestamps; tests pass one with a clock of their own.
    var clock: HybridClock { get }
    /// Runs what is to happen later; tests pass one that waits for them.
    var scheduler: Scheduler { get }
    /// This device's file is closed when it was not used for this long.
    var closeDelay: Duration { get }
    /// How long a write waits for a lock that another process holds on this device's file.
    var lockTimeout: Duration { get }
    /// Whether changes of the folder are looked for by themselves. Without, call `sync()`.
    var watchesFolder: Bool { get }
}

/// A store over the logs of all devices in a package: what all of them have in common to whoever uses
/// them.
public protocol ReplicatedStore: AnyObject, Sendable {
    /// Something that happened to the store.
    associatedtype Event: Sendable
    /// How a store behaves in time.
    associatedtype Configuration: StoreConfiguration

    /// A store over a package. Nothing is read before ``load()``, nothing written before the first
    /// write.
    ///
    /// - Parameter device: The device to write as, whose folder its first write makes; `nil` for a
    ///   store that only reads.
    init(package: StorePackage, device: DeviceID?, configuration: Configuration)

    /// Reads all logs, or reads them anew, and follows them from then on. A store that was closed is
    /// opened again.
    ///
    /// - Throws: ``ReplicationError`` if the package is not what it should be. What is wrong with
    ///   one device's log is in ``devices``, and hides no other.
    func load() async throws

    /// How each device's log stands, by device.
    var devices: [DeviceStatus] { get async }

    /// What happens from now on. Each call gives a sequence of its own, which ends when the store is
    /// closed; one that is asked for after that tells of the store when it is loaded again.
    func events() -> AsyncStream<Event>

    /// Writes what is not on disk yet. When this returns, all is.
    ///
    /// - Throws: What writing throws.
    func save() async throws

    /// Looks at all logs now, and takes in what is new.
    ///
    /// - Throws: ``ReplicationError`` if the package is gone or cannot be listed.
    func sync() async throws

    /// Saves, stops following, and ends all sequences of events.
    ///
    /// - Throws: As ``save()``; the store is closed all the same.
    func close() async throws
}

extension ReplicatedStore {
    /// A store over a package, once it has been read: ``init(package:device:configuration:)`` and
    /// ``load()`` in one.
    ///
    /// - Parameter device: The device to write as; `nil` for a store that only reads.
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

    /// A store over the package at a path, once it has been read.
    ///
    /// - Parameter device: The device to write as; `nil` for a store that only reads.
    /// - Throws: ``ReplicationError`` where there is no package, and as ``load()``.
    /// - Complexity: As ``load()``.
    public static func open(
        package path: String, device: DeviceID? = nil,
        configuration: Configuration = Configuration()
    ) async throws -> Self {
        try await open(
            StorePackage(opening: path), device: device, configuration: configuration)
    }
}

extension LogFollower.Options {
    /// What a store's configuration says.
    public init(_ configuration: some StoreConfiguration) {
        watches = configuration.watchesFolder
        idleTime = configuration.closeDelay
        patience = LockPatience(configuration.lockTimeout)
        clock = configuration.clock
        scheduler = configuration.scheduler
    }
}
