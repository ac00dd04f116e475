import Dispatch
import Foundation
public import Replication
import Synchronization

/// A dictionary that several devices share through a folder, which any file-sync service can carry.
///
/// Each device appends its writes to its own log. The dictionary is the merged state of all logs:
/// for each key, the row with the newest timestamp wins. Reading and writing values takes
/// microseconds on any thread and never waits for a disk. The store saves, and reads other devices'
/// logs, on its own queue. `events()` reports the changes.
///
/// ```swift
/// let store = try KeyValueStore(path: "Notes.store", device: "desk")
/// try store.load()
/// try store.set("Groceries", forKey: "note/1/title")
/// try store.save()
/// ```
public final class KeyValueStore: ReplicatedStore {
    /// The package, or `nil` for an in-memory store.
    public let package: StorePackage?
    /// The device that writes; `nil` for a store that only reads.
    public let device: DeviceID?
    /// The configuration passed at creation.
    public let configuration: Configuration

    let memory: MemoryLock
    let hub = EventHub<Event>()
    /// The events of changes that aren't saved yet; see ``holdEvents()``.
    let held = Mutex(HeldEvents())
    /// The database side, or `nil` for an in-memory store.
    let files: LogFiles?
    /// The schedule for writing changes.
    let saving: SaveSchedule
    let memoryBlobs = Mutex<[Name: Data]>([:])
    let pastIndex = Mutex(HeldPastIndex())

    /// Creates a store over a package. Nothing is read before `load()`, and nothing is written
    /// before the first save.
    ///
    /// - Parameter device: The device that writes. Its first write creates its folder. `nil` for a
    ///   store that only reads.
    public init(
        package: StorePackage, device: DeviceID?, configuration: Configuration = Configuration()
    ) {
        self.package = package
        self.device = device
        self.configuration = configuration
        memory = MemoryLock(Memory()) { [hub] in hub.deliver() }
        saving = configuration.saveSchedule
        files = LogFiles(
            package: package, device: device, memory: memory, configuration: configuration)
        files?.follower.onEvent { [weak self] in self?.take($0) }
    }

    /// Creates a store over the package at `path`. A missing package is created if `device` is
    /// given.
    ///
    /// - Parameter device: The name of the device that writes; `nil` for a store that only reads.
    /// - Throws: `ReplicationError`, as `StorePackage(creating:)`, `StorePackage(opening:)`, and
    ///   `DeviceID(_:)`.
    public convenience init(
        path: String, device: String?, configuration: Configuration = Configuration()
    ) throws(ReplicationError) {
        let writer: DeviceID? = if let device { try DeviceID(device) } else { nil }
        self.init(
            package: try StorePackage(path, writtenBy: writer), device: writer,
            configuration: configuration)
    }

    /// Creates an in-memory store, which is loaded immediately and has no history. Its content is
    /// discarded when it is closed or deallocated. Loading it again after ``close()`` results in an
    /// empty store.
    public init(inMemory configuration: Configuration = Configuration()) {
        package = nil
        device = nil
        self.configuration = configuration
        var memory = Memory()
        memory.phase = .loaded
        self.memory = MemoryLock(memory) { [hub] in hub.deliver() }
        saving = configuration.saveSchedule
        files = nil
    }

    /// Whether values can be read and written.
    public var isLoaded: Bool { memory.withLock { $0.phase == .loaded } }

    /// Whether the store has no files.
    public var isInMemory: Bool { package == nil }

    /// Runs calls that wait for files, such as those that read history, merge, or copy blobs,
    /// without blocking the caller's thread.
    ///
    /// Don't use it to read and write values, which takes microseconds. ``load()-(())``, `save()`
    /// and `sync()` have asynchronous forms.
    ///
    /// ```swift
    /// let rows = try await store.perform { try $0.rows(forKey: "note/1/title") }
    /// try await store.perform { try $0.blobs.put(contentsOf: photo, at: "photos/4.jpg") }
    /// ```
    ///
    /// - Parameter body: Receives this store, on a separate thread. Calls of several tasks run
    ///   concurrently.
    /// - Returns: The result of `body`.
    /// - Throws: Errors of `body`, and `CancellationError` if the task is canceled before it
    ///   starts.
    @discardableResult
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (KeyValueStore) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try await DispatchQueue.global(qos: .userInitiated).run { try body(self) }
    }

    /// Posts an event to all subscribers. Inside a transaction of this thread, it is delivered when
    /// the transaction ends.
    func post(_ kind: Event.Kind) {
        hub.note(Event(date: configuration.clock.now.date, kind: kind))
        if !memory.isHeldHere { hub.deliver() }
    }

    /// Posts an event, to be delivered once the memory's lock is released.
    func post(_ kind: Event.Kind, in memory: borrowing Memory) {
        hub.note(Event(date: configuration.clock.now.date, kind: kind))
    }
}

extension KeyValueStore.Configuration {
    fileprivate var saveSchedule: SaveSchedule {
        SaveSchedule(delay: saveDelay, limit: saveDelayLimit, scheduler: scheduler)
    }
}
