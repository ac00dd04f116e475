public import Automerge
public import Foundation
public import Replication
import Synchronization

/// A store of workspaces that contain Automerge documents, kept as chunks.
///
/// ```swift
/// let store = try AutomergeStore(package: "Notes.store", device: device)
/// let workspace = try store.newWorkspace(named: "Plans")
/// try workspace.index.automerge.put(obj: .ROOT, key: "count", value: .Counter(1))
/// ```
///
/// Edit documents like any Automerge document. Edits are saved automatically after half a second,
/// or immediately with ``save()``. Open documents merge the changes of other devices as they
/// arrive, without losing unsaved edits. ``events()`` announces these changes.
///
/// Each save adds a small chunk, a *delta*. From time to time, the deltas of a document are
/// compacted into one *snapshot*. Chunks are added and deleted, but never changed. A chunk is
/// deleted only by the write that puts its replacement on disk. A device deletes only its own
/// chunks.
///
/// A document stays open as long as a caller holds it or it has unsaved edits.
///
/// All methods are thread-safe and run one at a time. Methods that read or write files block.
public final class AutomergeStore: ReplicatedStore {
    /// The configuration of a store.
    public struct Configuration: StoreConfiguration {
        /// The delay between an edit and its save. Edits during the delay are saved together.
        public var autosaveDelay: Duration = .milliseconds(500)
        /// The scheduler for delayed work. Tests pass one that they control.
        public var scheduler: Scheduler = .dispatch()
        /// The clock for chunk timestamps.
        public var clock = HybridClock()
        /// The unit of text positions in opened documents.
        public var textEncoding: TextEncoding = .unicodeScalar
        /// Whether the store follows the writes of other devices. If not, call
        /// ``AutomergeStore/sync()``.
        public var watchesFolder = true
        /// The idle time after which this device's file is closed.
        public var closeDelay: Duration = .seconds(15)
        /// The maximum time that a write waits for another process's lock on this device's file.
        public var lockTimeout: Duration = .seconds(5)

        /// Creates the default configuration: edits are saved after half a second, and the store
        /// follows other devices.
        public init() {}
    }

    let backing: any ChunkBacking
    let configuration: Configuration
    let state = Mutex(State())
    /// The documents with unsaved edits, retained until they are saved.
    let edited = Mutex<[UUID: Automerge.Document]>([:])
    let hub = EventHub<AutomergeStoreEvent>()
    let schedule: SaveSchedule

    struct State {
        var index = ChunkIndex()
        var open: [UUID: OpenDocument] = [:]
        /// When there are this many entries, the entries of closed documents are removed.
        var openLimit = 16
        var workspaces: [UUID: WeakWorkspace] = [:]
        var statuses: [DeviceStatus] = []
        var phase = Phase.new
        var isDeleted = false
    }

    enum Phase {
        case new, loaded, closed
    }

    /// The state of an open document.
    struct OpenDocument {
        weak var automerge: Automerge.Document?
        let workspace: UUID
        /// Changes that are stored, with all of their dependencies.
        var stored: Set<ChangeHash> = []
        /// The applied chunks, each with its mark.
        var applied: [ChunkKey: String] = [:]
        /// Changes in the applied chunks whose dependencies are missing.
        var waiting: Set<ChangeHash> = []
        /// The reasons why chunks could not be applied completely.
        var damaged: [ChunkKey: String] = [:]
    }

    /// Creates a store without reading its contents.
    init(_ backing: any ChunkBacking, _ configuration: Configuration) {
        self.backing = backing
        self.configuration = configuration
        schedule = SaveSchedule(
            delay: configuration.autosaveDelay, limit: .seconds(15),
            scheduler: configuration.scheduler)
    }

    /// Creates a store for the documents of a package. Call ``load()`` to read the store.
    ///
    /// - Parameter device: The writing device; `nil` for read-only access. The first write creates
    ///   its folder and file.
    public convenience init(
        package: StorePackage, device: DeviceID? = nil,
        configuration: Configuration = Configuration()
    ) {
        self.init(DocumentPackageBacking(package, device: device, configuration), configuration)
    }

    deinit {
        backing.close()
        hub.finish()
    }

    /// Creates an empty in-memory store.
    ///
    /// - Throws: Nothing in practice, because the device name of its chunks is valid.
    public convenience init(configuration: Configuration = Configuration()) throws {
        self.init(DocumentMemoryBacking(device: try DeviceID("memory")), configuration)
        try load()
    }

    /// Whether the store is writable.
    public var isWritable: Bool { backing.readOnlyReason == nil }

    /// The device that writes chunks; `nil` if the store is read-only or its chunks don't name
    /// devices.
    public var ownDevice: DeviceID? { backing.ownDevice }

    /// Whether documents belong to named workspaces. In a storage folder of automerge-repo, each
    /// document is the index of a separate workspace.
    public var hasWorkspaces: Bool { backing.hasWorkspaces }

    /// Returns the identifier of a document or workspace as shown in lists and messages:
    /// base58check in a storage folder of automerge-repo, otherwise a UUID.
    public func text(of id: UUID) -> String { hasWorkspaces ? id.uuidString : id.automergeID }

    /// The unit of text positions in opened documents.
    package var textEncoding: TextEncoding { configuration.textEncoding }

    /// The status of each device's file; empty for stores that aren't packages.
    public var devices: [DeviceStatus] { state.withLock { $0.statuses } }

    /// Descriptions of unexpected items in the store, which are ignored.
    public var unexpectedItems: [String] { backing.unexpectedItems }

    /// Reads the store and then follows the writes of other devices. Reopens a closed store.
    ///
    /// - Throws: `ReplicationError` if there is nothing to read. Devices that can't be read are
    ///   listed in ``devices``.
    /// - Complexity: O(*n*) in the number of chunks of all devices; no document is opened.
    public func load() throws {
        let isFirst = try state.withLock { state in
            guard state.phase != .loaded else {
                take(try backing.read(isWoken: false), &state, isOwn: false)
                return false
            }
            let read = try backing.read(isWoken: false)
            _ = state.index.take(read)
            state.statuses = read.devices ?? []
            state.isDeleted = read.isDeleted
            state.phase = .loaded
            return true
        }
        guard isFirst, configuration.watchesFolder else { return }
        backing.watch { [weak self] in self?.catchUp() }
    }

    /// Reads new chunks immediately. Devices that can't be read are listed in ``devices``.
    ///
    /// - Throws: An error if nothing could be read. The loaded state stays.
    /// - Complexity: Checks each device's file once, and O(*n*) in the number of new chunks.
    public func sync() throws {
        try state.withLock { state in
            try state.checkIsLoaded()
            take(try backing.read(isWoken: false), &state, isOwn: false)
        }
    }

    /// Whether the store is open.
    var isLoaded: Bool { state.withLock { $0.phase == .loaded } }

    /// Saves pending edits and closes the files. Documents that callers still hold become in-memory
    /// documents. Call ``load()`` to reopen the store.
    ///
    /// - Throws: The errors of ``save()``. The store is closed anyway. Edits that could not be
    ///   saved stay in their document as long as a caller holds it.
    public func close() throws {
        defer { release() }
        if isLoaded { try save() }
    }

    private func release() {
        state.withLock { state in
            for entry in state.open.values { entry.automerge?.onNextChange(nil) }
            state = State()
            state.phase = .closed
        }
        edited.withLock { $0 = [:] }
        schedule.reset()
        backing.close()
        hub.finish()
    }

    /// Writes chunks and applies them to the loaded state.
    ///
    /// - Returns: The chunks that were written, in order.
    /// - Throws: `ReplicationError`, `.unconfirmed`, after applying the writes, if the disk did not
    ///   confirm them. After any other error, nothing is written.
    @discardableResult
    func write(
        _ writes: [BackingWrite], after seen: Timestamp = .distantPast, _ state: inout State
    ) throws -> [ChunkRecord] {
        try state.checkIsLoaded()
        if let reason = backing.readOnlyReason {
            throw DocumentStoreError(.readOnly, reason)
        }
        let timestamp: Timestamp
        do {
            timestamp = try configuration.clock.tick(after: seen)
        } catch {
            throw DocumentStoreError(
                .timeOutOfRange, "nothing can be written: \(error.message)", cause: error)
        }
        let read = try backing.write(writes, at: timestamp)
        let wanted = writes.count { if case .chunk = $0 { true } else { false } }
        let chunks = read.entries.compactMap { entry in
            if case .chunk(let chunk) = entry { chunk } else { nil }
        }
        let own = Array(chunks.suffix(wanted))
        // In a replacement file, new rows may reuse the numbers of lost rows, so their chunks are
        // read again.
        if read.forgotten.isEmpty {
            for chunk in own { state.open[chunk.document]?.applied[chunk.key] = chunk.mark }
        }
        take(read, &state, isOwn: read.forgotten.isEmpty)
        if let unconfirmed = read.unconfirmed { throw unconfirmed }
        return own
    }
}

struct WeakWorkspace {
    weak var workspace: AutomergeStore.Workspace?
}

extension AutomergeStore.State {
    /// Removes documents that no caller holds, if there are many entries.
    mutating func forgetClosed() {
        guard open.count >= openLimit else { return }
        open = open.filter { $0.value.automerge != nil }
        workspaces = workspaces.filter { $0.value.workspace != nil }
        openLimit = max(16, open.count * 2)
    }

    /// Checks that the store is loaded.
    ///
    /// - Throws: ``DocumentStoreError``, `.closed` if the store is closed or not loaded yet.
    func checkIsLoaded() throws {
        guard phase == .loaded else {
            throw DocumentStoreError(
                .closed, phase == .new ? "the store is not loaded" : "the store was closed")
        }
    }
}
