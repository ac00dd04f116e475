public import Automerge
public import Foundation
public import Replication
import Synchronization

/// A store of workspaces, each of Automerge documents, kept as chunks.
///
/// ```swift
/// let store = try AutomergeStore(package: "Notes.store", device: device)
/// let workspace = try store.newWorkspace(named: "Plans")
/// try workspace.index.automerge.put(obj: .ROOT, key: "count", value: .Counter(1))
/// ```
///
/// Documents are edited as any Automerge document is; what was edited is stored by itself half a
/// second later, or at once with ``save()``. What other devices store is taken in by open documents
/// as it comes, edits that are not stored yet included, and announced by ``events()``.
///
/// Each edit makes a small chunk, a *delta*; from time to time those of a document are combined into
/// one *snapshot*. Chunks are made and deleted, never changed, and deleted only in the step that
/// puts what replaces them on disk. A device deletes its own chunks and no others.
///
/// A document is open for as long as somebody holds it, or has edits that are not stored.
///
/// Calls may come from any thread and take turns; those that read or write files block.
public final class AutomergeStore: ReplicatedStore {
    /// How a store works.
    public struct Configuration: StoreConfiguration {
        /// How long after an edit it is stored; further edits until then are stored with it.
        public var autosaveDelay: Duration = .milliseconds(500)
        /// Runs what is done later; tests pass one that they move on.
        public var scheduler: Scheduler = .dispatch()
        /// Gives the times that chunks bear.
        public var clock = HybridClock()
        /// How texts of opened documents count their positions.
        public var textEncoding: TextEncoding = .unicodeScalar
        /// Whether what others write is taken in as it comes; otherwise by ``AutomergeStore/sync()``.
        public var watchesFolder = true
        /// This device's file is closed when it was not used for this long.
        public var closeDelay: Duration = .seconds(15)
        /// How long a write waits for a lock that another process holds on this device's file.
        public var lockTimeout: Duration = .seconds(5)

        /// Stores half a second after an edit, and watches.
        public init() {}
    }

    let backing: any ChunkBacking
    let configuration: Configuration
    let state = Mutex(State())
    /// The documents with edits that are not stored, which are kept until they are.
    let edited = Mutex<[UUID: Automerge.Document]>([:])
    let hub = EventHub<AutomergeStoreEvent>()
    let schedule: SaveSchedule

    struct State {
        var index = ChunkIndex()
        var open: [UUID: OpenDocument] = [:]
        /// How many of these may be there before those that nobody holds are looked for.
        var openLimit = 16
        var workspaces: [UUID: WeakWorkspace] = [:]
        var statuses: [DeviceStatus] = []
        var phase = Phase.new
        var isGone = false
    }

    enum Phase {
        case new, loaded, closed
    }

    /// What the store knows of a document that somebody holds.
    struct OpenDocument {
        weak var automerge: Automerge.Document?
        let workspace: UUID
        /// Changes that are stored, with all that they depend on.
        var stored: Set<ChangeHash> = []
        /// The chunks whose changes the document has, each with its mark.
        var applied: [ChunkKey: String] = [:]
        /// Changes in those that wait for others.
        var waiting: Set<ChangeHash> = []
        /// The chunks that could not be taken in, or not all of them, and why.
        var damaged: [ChunkKey: String] = [:]
    }

    /// A store of which nothing is read yet.
    init(_ backing: any ChunkBacking, _ configuration: Configuration) {
        self.backing = backing
        self.configuration = configuration
        schedule = SaveSchedule(
            delay: configuration.autosaveDelay, limit: .seconds(15),
            scheduler: configuration.scheduler)
    }

    /// The documents of a package. Nothing is read before ``load()``.
    ///
    /// - Parameter device: Who writes; `nil` to read only. Its folder and file are made by the
    ///   first write.
    public convenience init(
        package: StorePackage, device: DeviceID? = nil,
        configuration: Configuration = Configuration()
    ) {
        self.init(PackageBacking(package, device: device, configuration), configuration)
    }

    deinit {
        backing.close()
        hub.finish()
    }

    /// A store that is in memory only, empty.
    ///
    /// - Throws: Nothing in practice: the name that its chunks bear is a valid one.
    public convenience init(configuration: Configuration = Configuration()) throws {
        self.init(MemoryBacking(device: try DeviceID("memory")), configuration)
        try load()
    }

    /// Whether it can be written at all.
    public var isWritable: Bool { backing.readOnlyReason == nil }

    /// The device that chunks are written as; `nil` where they are nobody's, or none can be.
    public var ownDevice: DeviceID? { backing.ownDevice }

    /// Whether documents belong to workspaces with names. In a storage folder of automerge-repo
    /// each document is the index of a workspace of its own.
    public var hasWorkspaces: Bool { backing.hasWorkspaces }

    /// The identifier of a document or workspace as the store's lists and messages spell it:
    /// base58check in a storage folder of automerge-repo, else a UUID.
    public func text(of id: UUID) -> String { hasWorkspaces ? id.uuidString : id.automergeID }

    /// How texts of opened documents count their positions.
    package var textEncoding: TextEncoding { configuration.textEncoding }

    /// How each device's file stands, by device; empty for stores that are not a package.
    public var devices: [DeviceStatus] { state.withLock { $0.statuses } }

    /// What is odd about the store as a whole and left out, each in a line.
    public var oddities: [String] { backing.oddities }

    /// Reads what is stored, and takes in from then on what others store. A store that was closed is
    /// opened again.
    ///
    /// - Throws: `ReplicationError` when there is nothing to read from. Devices that cannot be read
    ///   are shown by ``devices``.
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
            state.isGone = read.isGone
            state.phase = .loaded
            return true
        }
        guard isFirst, configuration.watchesFolder else { return }
        backing.watch { [weak self] in self?.catchUp() }
    }

    /// Takes in what is new, now. Devices that cannot be read are shown by ``devices``.
    ///
    /// - Throws: Why nothing could be read; what is known stays.
    /// - Complexity: A look at each device's file, and O(*n*) in what is new.
    public func sync() throws {
        try state.withLock { state in
            try state.checkIsLoaded()
            take(try backing.read(isWoken: false), &state, isOwn: false)
        }
    }

    /// Stores what is not stored yet, and lets go of files. Documents that are still held are
    /// documents in memory from then on. The store can be loaded again by ``load()``.
    ///
    /// - Throws: As ``save()``; the store is closed all the same. What could not be stored is in its
    ///   document, for as long as somebody holds that.
    public func close() throws {
        defer { letGo() }
        if state.withLock({ $0.phase == .loaded }) { try save() }
    }

    private func letGo() {
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

    /// Writes, and takes in what was written.
    ///
    /// - Returns: The chunks that were written, in order.
    /// - Throws: `ReplicationError`, `.unconfirmed`, after taking in what was written, if the disk did
    ///   not confirm it. Nothing is written after any other error.
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
        // Where a file was found that took the place of another, its rows have the numbers of those
        // that are gone, and are looked at anew.
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
    /// Forgets the documents that nobody holds, once there are many.
    mutating func forgetClosed() {
        guard open.count >= openLimit else { return }
        open = open.filter { $0.value.automerge != nil }
        workspaces = workspaces.filter { $0.value.workspace != nil }
        openLimit = max(16, open.count * 2)
    }

    /// - Throws: ``DocumentStoreError``, `.closed`, before the store is loaded too.
    func checkIsLoaded() throws {
        guard phase == .loaded else {
            throw DocumentStoreError(
                .closed, phase == .new ? "the store is not loaded" : "the store was closed")
        }
    }
}
