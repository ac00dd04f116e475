import Dispatch
import Foundation
public import Replication
import Synchronization

/// A dictionary that several devices share through a folder that any file-sync service carries.
///
/// Each device appends what it writes to a log of its own; the dictionary is what all logs together
/// say: for each key the row with the newest timestamp. Reading and writing values takes
/// microseconds on any thread and never waits for a disk. Saving, and reading what other devices
/// wrote, happens on a queue of the store's own, and `events()` tells of it.
///
/// ```swift
/// let store = try KeyValueStore(package: StorePackage(opening: path), device: DeviceID("desk"))
/// try store.load()
/// try store.set("Groceries", forKey: "note/1/title")
/// try store.save()
/// ```
public final class KeyValueStore: ReplicatedStore {
    /// The package, or `nil` for a store in memory.
    public let package: StorePackage?
    /// The device that the store writes as; `nil` where it only reads.
    public let device: DeviceID?
    /// How the store behaves in time, as it was given.
    public let configuration: Configuration

    let memory: MemoryLock
    let hub = EventHub<Event>()
    /// The database side, or `nil` for a store in memory.
    let files: LogFiles?
    /// When changes are written.
    let saving: SaveSchedule
    let memoryBlobs = Mutex<[Name: Data]>([:])
    let pastIndex = Mutex(HeldPastIndex())

    /// A store over a package. Nothing is read before `load()`, nothing written before the
    /// first value is saved.
    ///
    /// - Parameter device: The device to write as. Its folder is created by its first write.
    ///   `nil` for a store that only reads.
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
        files?.follower.onNews { [weak self] in self?.take($0) }
    }

    /// A store in memory: loaded at once, without history, gone when it is closed and with its last
    /// reference. Loaded again after ``close()`` it is empty.
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

    /// Tells all who listen; inside a transaction of this thread once that is over.
    func post(_ kind: Event.Kind) {
        hub.note(Event(date: configuration.clock.now.date, kind: kind))
        if !memory.isHeldHere { hub.deliver() }
    }

    /// Tells all who listen, once the memory's lock is released.
    func post(_ kind: Event.Kind, in memory: borrowing Memory) {
        hub.note(Event(date: configuration.clock.now.date, kind: kind))
    }
}

extension KeyValueStore.Configuration {
    fileprivate var saveSchedule: SaveSchedule {
        SaveSchedule(delay: saveDelay, limit: saveDelayLimit, scheduler: scheduler)
    }
}
