public import Replication
import Synchronization

/// A store of entities without a schema: each has an identifier, a type and any properties.
///
/// Everything is asynchronous and made for bulk: lists go in, lists come out, one call writes one
/// transaction. Answers come from memory; what a write returned from is on disk. What other devices
/// write arrives by itself and is announced by ``events()``.
///
/// Which of concurrent writes count is the same on every device:
/// - A property reads as its entry of the newest datestamp (then the one written last, then by
///   device); the older ones are its history, or further values of it.
/// - Removing a property takes back the entries that the remover had seen. A value that another
///   device adds meanwhile stays.
/// - Where devices set a property without knowing of each other, both values stay, and the property is
///   in conflict until one is set that knows of both: ``conflicts(types:)``.
/// - Deleting an entity ends it, its properties and the relationships to it, whatever other devices
///   write to it meanwhile. Only making an entity of that identifier anew, later, brings it back,
///   and then with what is written from then on.
/// - Where two devices make one identifier, the older making says the type.
public actor EntityStore: ReplicatedStore {
    /// How a store behaves in time.
    public struct Configuration: StoreConfiguration {
        /// Gives timestamps; tests pass one with a clock of their own.
        public var clock = HybridClock()
        /// Runs what is to happen later; tests pass one that waits for them.
        public var scheduler: Scheduler = .dispatch()
        /// This device's file is closed when it was not used for this long.
        public var closeDelay: Duration = .seconds(60)
        /// How long a write waits for the lock of another process. Others wait for the write
        /// meanwhile; what it threw `.busy` from is not written, neither now nor later.
        public var lockTimeout: Duration = .seconds(5)
        /// Whether changes of the folder are looked for by themselves. Without, call `sync()`.
        public var watchesFolder = true

        /// What a program with a person before it needs.
        public init() {}

        /// What a program with a person before it needs, unless told otherwise.
        public init(clock: HybridClock = HybridClock(), lockTimeout: Duration = .seconds(5)) {
            self.clock = clock
            self.lockTimeout = lockTimeout
        }
    }

    private let executor: QueueExecutor
    let backing: any EntityBacking
    let clock: HybridClock
    nonisolated let hub = EventHub<Event>()
    var graph = EntityGraph()
    private var known: [DeviceID: DeviceStatus] = [:]
    private var phase = Phase.new
    var types: [Name: any EntityReferencing.Type] = [:]
    /// The last list that was asked for, so that a window into it costs the window.
    var lastSelection: Selection?

    private enum Phase {
        case new, loaded, closed
        /// There are more rows than can be held: none is taken in any more.
        case full
    }

    struct Selection {
        var query: EntityQuery
        var version: UInt64
        var nodes: ContiguousArray<UInt32>
    }

    /// A queue of the store's own, so that reading files blocks no thread that tasks share.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// How long writing waits for a lock that another process holds on this device's file. May be
    /// changed while somebody waits: who wants to close makes it short.
    public nonisolated let lockPatience: LockPatience

    init(
        backing: any EntityBacking, clock: HybridClock,
        lockPatience: LockPatience = LockPatience(.seconds(5))
    ) {
        self.backing = backing
        self.lockPatience = lockPatience
        self.clock = clock
        executor = QueueExecutor(backing.queue)
        graph.isTracking = true
        backing.onNews { [weak self] news in
            // News comes on the queue that this actor runs on.
            self?.assumeIsolated { $0.take(news) }
        }
    }

    /// A store over a package. Nothing is read before `load()`.
    ///
    /// - Parameter device: Who writes; `nil` to read only. Its folder and file are made by the first
    ///   write.
    public init(
        package: StorePackage, device: DeviceID?, configuration: Configuration = Configuration()
    ) {
        let options = LogFollower<EntityLog>.Options(configuration)
        self.init(
            backing: PackageBacking(package, device: device, options: options),
            clock: configuration.clock, lockPatience: options.patience)
    }

    /// A store that is in memory only, empty.
    ///
    /// - Parameter device: The name that its entries bear.
    /// - Throws: Nothing in practice: the name that it has by itself is a valid one.
    public static func inMemory(
        device: DeviceID? = nil, clock: HybridClock = HybridClock()
    ) throws -> EntityStore {
        let device = try device ?? DeviceID("memory")
        return EntityStore(backing: MemoryBacking(device: device), clock: clock)
    }

    /// The Core Data file (`.sqlite`) of the original Datastore, for reading.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.unreadable` for another kind of file,
    ///   `.incomplete` for one that is half there.
    /// - Complexity: O(*n*) in the number of its rows.
    public static func open(coreData path: String) async throws -> EntityStore {
        let store = EntityStore(backing: try FileBacking.datastore(path), clock: HybridClock())
        try await store.load()
        return store
    }

    /// One device's `Entities.db`, wherever it lies, for reading.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.unreadable` for another kind of file,
    ///   `.incomplete` for one that is half there.
    /// - Complexity: O(*n*) in the number of its rows.
    public static func open(log path: String) async throws -> EntityStore {
        let store = EntityStore(backing: FileBacking.log(path), clock: HybridClock())
        try await store.load()
        return store
    }

    /// Whether a database is one of the original Datastore.
    public static func isCoreData(_ path: String) -> Bool {
        let outcome = try? ForeignDatabase.read(path) { try DatastoreReader.recognizes($0) }
        guard case .read(let isDatastore, _)? = outcome else { return false }
        return isDatastore
    }

    /// Whether it can be written at all.
    public nonisolated var isWritable: Bool { backing.ownDevice != nil }

    /// The device that writes are made as; `nil` where nothing can be written.
    public nonisolated var ownDevice: DeviceID? { backing.ownDevice }

    /// The status of each device's file, by device; devices that never had one are left out.
    public var devices: [DeviceStatus] {
        known.values.filter { $0.state != .absent || $0.rows > 0 }.sorted { $0.device < $1.device }
    }

    // MARK: Reading files

    /// Reads all files, or reads them anew. A store that was closed is opened again.
    ///
    /// Returns when everything has been read. Devices whose files cannot be read are shown by
    /// ``devices``; the others' entities are there.
    ///
    /// - Throws: `ReplicationError` when there is no package, or it cannot be listed.
    /// - Complexity: O(*n*) in the number of rows of all devices, in time and in memory.
    public func load() throws {
        phase = phase == .closed ? .loaded : phase
        try backing.load()
        post(.loaded(devices: devices.count, entities: graph.listing().count))
    }

    /// Looks at all files now and takes in what is new. Without watching, this is how it is found.
    ///
    /// - Throws: `ReplicationError` when the package is gone or cannot be listed; what is wrong with
    ///   a device's file is in ``devices``.
    /// - Complexity: A look at each device's file, and O(*n*) in the number of new rows; of all
    ///   rows where a file was replaced.
    public func sync() throws {
        guard phase != .closed else { return }
        try backing.sync()
    }

    private func take(_ news: BackingNews) {
        guard phase != .full, phase != .closed else { return }
        do {
            switch news {
            case .loaded(let batches, let statuses): try takeAll(batches, statuses)
            case .rows(let batch):
                try take(batch)
                announce(.device(batch.device), batch.rows)
            case .device(let status, let isNotable):
                known[status.device] = status
                if isNotable { post(.device(status)) }
            case .deleted: post(.deleted)
            case .returned: post(.returned)
            }
        } catch {
            phase = .full
        }
    }

    private func takeAll(_ batches: [RowBatch], _ statuses: [DeviceStatus]) throws {
        var fresh = EntityGraph()
        swap(&graph, &fresh)
        graph.isTracking = false
        do {
            for batch in batches { try take(batch) }
        } catch {
            swap(&graph, &fresh)
            throw error
        }
        graph.settle()
        graph.isTracking = true
        let former = known
        known = [:]
        for status in statuses { known[status.device] = status }
        defer { phase = .loaded }
        guard phase == .loaded else { return }
        graph.continueVersion(of: fresh)
        let changes = graph.difference(from: fresh)
        if !changes.isEmpty { post(.changed(changes)) }
        tell(
            begun: graph.conflicts(notIn: fresh), by: nil,
            ended: fresh.conflicts(notIn: graph), in: fresh)
        for status in statuses where former[status.device]?.notable != status.notable {
            post(.device(status))
        }
    }

    private func take(_ batch: RowBatch) throws {
        try graph.ingest(batch)
        if batch.device == backing.ownDevice, let last = batch.rows.last {
            clock.observe(Timestamp(microseconds: last.timestamp))
        }
    }

    private func announce(_ origin: EntityChanges.Origin, _ rows: ContiguousArray<RowBatch.Row>) {
        graph.settle()
        let written = rows.lazy.map(\.timestamp).min().map(Timestamp.init(microseconds:))
        let changes = graph.takeChanges(
            origin: origin, rowCount: rows.count, written: written)
        if !changes.isEmpty { post(.changed(changes)) }
        let conflicts = graph.takeConflictChanges()
        let writer: DeviceID? =
            switch origin {
            case .local: backing.ownDevice
            case .device(let device): device
            case .reload: nil
            }
        tell(begun: conflicts.begun, by: writer, ended: conflicts.ended, in: graph)
    }

    /// - Parameters:
    ///   - writer: The device whose rows began conflicts, where it is one.
    ///   - before: Whose slots those are that are in conflict no more.
    private func tell(
        begun: [UInt32], by writer: DeviceID?, ended: [UInt32], in before: EntityGraph
    ) {
        for slot in begun { post(.conflict(graph.conflict(about: slot), by: writer)) }
        for slot in ended {
            let slot = before.slots[Int(slot)]
            post(
                .resolved(
                    identifier: before.identifier(of: slot.node), key: before.names[slot.key]))
        }
    }

    // MARK: Writing

    /// Writes operations in one transaction and takes them in.
    func write(_ operations: [EntityOperation], after seen: Int64) throws {
        guard phase != .closed else {
            throw EntityStoreError(.closed, "the store was closed")
        }
        guard let device = backing.ownDevice else {
            throw EntityStoreError(.readOnly, "the store is read-only")
        }
        guard !operations.isEmpty else { return }
        try requireOwnLog(device)
        let timestamp = try tick(after: Timestamp(microseconds: seen), as: device)
        let own = try backing.append(operations, timestamp: timestamp)
        try take(own)
        announce(.local, own.rows)
    }

    /// A time later than all that was seen (data rule 7).
    private func tick(
        after seen: Timestamp, as own: DeviceID
    ) throws(EntityStoreError) -> Timestamp {
        do {
            return try clock.tick(after: seen)
        } catch {
            let culprit = graph.writer(at: seen.microseconds) ?? own
            throw EntityStoreError(
                .timeOutOfRange,
                "nothing can be written: \(error.message); look at the clock of \(culprit)",
                cause: error)
        }
    }

    /// Refuses to write while this device's log cannot be read: what is written could not follow on
    /// what it holds, nor take back what it says.
    func requireOwnLog(_ device: DeviceID) throws {
        if known[device]?.refusal != nil {
            // It may have been put right since it was looked at.
            try? backing.sync()
            if let problem = known[device]?.refusal { throw Self.refusal(problem) }
        }
        // Rows of a log that began anew, or was put back from before, would count as those that
        // others have taken back.
        guard let last = graph.lastCoveredRow(of: device), last > graph.lastRow(of: device) else {
            return
        }
        // Another process of this device may have written them.
        try? backing.sync()
        let row = graph.lastRow(of: device)
        guard last > row else { return }
        let end = row == 0 ? "it has none" : "it ends with row \(row)"
        throw Self.refusal("another device has seen row \(last) of it, and \(end)")
    }

    /// When this device's newest row was written.
    var newestOwn: Timestamp? { ownDevice.flatMap { known[$0]?.last } }

    private static func refusal(_ problem: String) -> EntityStoreError {
        EntityStoreError(
            .ownLogUnreadable,
            "this device's log cannot be read to its end, so nothing is written to it: \(problem)")
    }

    /// Waits for all that was written before. Each write is on disk when it returns, so there is
    /// nothing to be done.
    public func save() {}

    /// Stops watching, lets go of every file and ends all sequences of events. Reading goes on from
    /// memory, and the store can be loaded again by ``load()``.
    public func close() {
        guard phase != .closed else { return }
        phase = .closed
        backing.close()
        hub.finish()
    }
}
