public import Replication

/// A store of entities without a schema. Each entity has an identifier, a type and any properties.
///
/// All methods are asynchronous, and take and return lists. Reading uses only memory. Each call
/// that writes is one transaction, which is on disk when the call returns. Writes of other devices
/// arrive automatically, and are reported by ``events()``.
///
/// Every device merges concurrent writes to the same result:
/// - The current value of a property is the entry with the newest datestamp. If datestamps are
///   equal, the write time decides, then the device. Older entries are its history, or additional
///   values.
/// - Removing a property removes the entries that the writer had seen. A value that another device
///   adds concurrently stays.
/// - If devices set a property concurrently, both values stay, and the property is in conflict
///   until a writer that has seen both sets it: ``conflicts(types:)``.
/// - Deleting an entity also deletes its properties and the relationships to it, regardless of
///   concurrent writes by other devices. Creating an entity with that identifier later brings it
///   back, without its earlier properties.
/// - If two devices create an entity with the same identifier, the older creation determines the
///   type.
public actor EntityStore: ReplicatedStore {
    /// Options for the store's timing.
    public struct Configuration: StoreConfiguration {
        /// The source of timestamps. Tests can pass a source with their own clock.
        public var clock = HybridClock()
        /// The scheduler for delayed work. Tests can pass a scheduler that waits for this work.
        public var scheduler: Scheduler = .dispatch()
        /// The time for which this device's file stays open after its last use.
        public var closeDelay: Duration = .seconds(60)
        /// The maximum time that a write waits for another process's lock. Later writes wait for
        /// this write. A write that throws `.busy` isn't written later either.
        public var lockTimeout: Duration = .seconds(5)
        /// Whether the store watches the folder for changes. If `false`, call `sync()`.
        public var watchesFolder = true

        /// Creates a configuration with defaults for interactive programs.
        public init() {}

        /// Creates a configuration with defaults for interactive programs.
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
    /// The last query result, so that returning a range of it costs only as much as its rows.
    var lastSelection: Selection?

    private enum Phase {
        case new, loaded, closed
        /// The store has reached the maximum number of rows and ignores further ones.
        case full
    }

    struct Selection {
        var query: EntityQuery
        var version: UInt64
        var nodes: ContiguousArray<UInt32>
    }

    /// A queue of the store's own, so that file access doesn't block the shared threads of Swift
    /// concurrency.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// The maximum time that a write waits for another process's lock on this device's file. It can
    /// be changed during a wait, for example to close quickly.
    public nonisolated let lockWait: LockWait

    init(
        backing: any EntityBacking, clock: HybridClock,
        lockWait: LockWait = LockWait(.seconds(5))
    ) {
        self.backing = backing
        self.lockWait = lockWait
        self.clock = clock
        executor = QueueExecutor(backing.queue)
        graph.isTracking = true
        backing.onEvent { [weak self] event in
            // Events arrive on the queue that this actor runs on.
            self?.assumeIsolated { $0.take(event) }
        }
    }

    /// Creates a store over a package. Nothing is read before `load()`.
    ///
    /// - Parameter device: The writing device; `nil` for reading only. The first write creates its
    ///   folder and file.
    public init(
        package: StorePackage, device: DeviceID?, configuration: Configuration = Configuration()
    ) {
        let options = LogFollower<EntityLog>.Options(configuration)
        self.init(
            backing: EntityPackageBacking(package, device: device, options: options),
            clock: configuration.clock, lockWait: options.lockWait)
    }

    /// Returns an empty store that is in memory only.
    ///
    /// - Parameter device: The device name of its entries.
    /// - Throws: Nothing in practice: the default name is valid.
    public static func inMemory(
        device: DeviceID? = nil, clock: HybridClock = HybridClock()
    ) throws -> EntityStore {
        let device = try device ?? DeviceID("memory")
        return EntityStore(backing: EntityMemoryBacking(device: device), clock: clock)
    }

    /// Opens the Core Data file (`.sqlite`) of the original Datastore for reading.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.unreadable` for another kind of file,
    ///   `.incomplete` for a partial copy.
    /// - Complexity: O(*n*) in the number of its rows.
    public static func open(coreData path: String) async throws -> EntityStore {
        let store = EntityStore(backing: try FileBacking.datastore(path), clock: HybridClock())
        try await store.load()
        return store
    }

    /// Opens one device's `Entities.db` at any path for reading.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.unreadable` for another kind of file,
    ///   `.incomplete` for a partial copy.
    /// - Complexity: O(*n*) in the number of its rows.
    public static func open(log path: String) async throws -> EntityStore {
        let store = EntityStore(backing: FileBacking.log(path), clock: HybridClock())
        try await store.load()
        return store
    }

    /// Returns whether a database was created by the original Datastore.
    public static func isCoreData(_ path: String) -> Bool {
        let found = try? ForeignDatabase.value(from: path) { try DatastoreReader.recognizes($0) }
        return found == true
    }

    /// Whether the store can be written.
    public nonisolated var isWritable: Bool { backing.ownDevice != nil }

    /// The writing device; `nil` if the store is read-only.
    public nonisolated var ownDevice: DeviceID? { backing.ownDevice }

    /// The status of each device's file, by device. Devices that never had a file are left out.
    public var devices: [DeviceStatus] {
        known.values.filter { $0.state != .absent || $0.rows > 0 }.sorted { $0.device < $1.device }
    }

    // MARK: Reading files

    /// Reads all files from scratch. A closed store is reopened.
    ///
    /// Returns when everything has been read. Unreadable devices are listed in ``devices``; the
    /// entities of the others are available.
    ///
    /// - Throws: `ReplicationError` if the package is missing or can't be listed.
    /// - Complexity: O(*n*) in the number of rows of all devices, in time and memory.
    public func load() throws {
        phase = phase == .closed ? .loaded : phase
        try backing.load()
        post(.loaded(devices: devices.count, entities: graph.listing().count))
    }

    /// Checks all files now and ingests new rows. If the store doesn't watch the folder, call this
    /// to find changes.
    ///
    /// - Throws: `ReplicationError` if the package is missing or can't be listed. Problems with a
    ///   device's file are in ``devices``.
    /// - Complexity: A check of each device's file, and O(*n*) in the number of new rows, or of all
    ///   rows if a file was replaced.
    public func sync() throws {
        guard phase != .closed else { return }
        try backing.sync()
    }

    private func take(_ event: BackingEvent) {
        guard phase != .full, phase != .closed else { return }
        do {
            switch event {
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

    private func takeAll(_ batches: [EntityRowBatch], _ statuses: [DeviceStatus]) throws {
        var fresh = EntityGraph()
        swap(&graph, &fresh)
        graph.isTracking = false
        do {
            for batch in batches { try take(batch) }
        } catch {
            swap(&graph, &fresh)
            throw error
        }
        graph.applyPending()
        graph.isTracking = true
        let former = known
        known = [:]
        for status in statuses { known[status.device] = status }
        defer { phase = .loaded }
        guard phase == .loaded else { return }
        graph.continueVersion(of: fresh)
        let changes = graph.difference(from: fresh)
        if !changes.isEmpty { post(.changed(changes)) }
        notify(
            begun: graph.conflicts(notIn: fresh), by: nil,
            ended: fresh.conflicts(notIn: graph), in: fresh)
        for status in statuses where former[status.device]?.notable != status.notable {
            post(.device(status))
        }
    }

    private func take(_ batch: EntityRowBatch) throws {
        try graph.ingest(batch)
        if batch.device == backing.ownDevice, let last = batch.rows.last {
            clock.observe(Timestamp(microseconds: last.timestamp))
        }
    }

    private func announce(
        _ origin: EntityChanges.Origin, _ rows: ContiguousArray<EntityRowBatch.Row>
    ) {
        graph.applyPending()
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
        notify(begun: conflicts.begun, by: writer, ended: conflicts.ended, in: graph)
    }

    /// Posts events for conflicts that have started or ended.
    ///
    /// - Parameters:
    ///   - writer: The device whose rows started the conflicts, if it is a single one.
    ///   - before: The graph that the slots in `ended` belong to.
    private func notify(
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

    /// Writes operations in one transaction and ingests them.
    ///
    /// - Throws: `ReplicationError` with code `.unconfirmed`, after ingesting the operations, if
    ///   the disk didn't confirm the write. Nothing is written after any other error.
    func write(_ operations: [EntityOperation], after seen: WriteDraft.Seen) throws {
        guard phase != .closed else {
            throw EntityStoreError(.closed, "the store is closed")
        }
        guard let device = backing.ownDevice else {
            throw EntityStoreError(.readOnly, "the store is read-only")
        }
        guard !operations.isEmpty else { return }
        try requireOwnLog(device)
        let timestamp = try tick(after: seen)
        let appended = try backing.append(operations, timestamp: timestamp)
        try take(appended.written)
        announce(.local, appended.written.rows)
        if let unconfirmed = appended.unconfirmed {
            post(.unconfirmed(message: unconfirmed.message))
            throw unconfirmed
        }
    }

    /// Returns the time of a write by a writer that has seen other writes (data rule 7).
    private func tick(after seen: WriteDraft.Seen) throws(EntityStoreError) -> Timestamp {
        do {
            let newest = Timestamp(microseconds: seen.newest)
            let ordered = Timestamp(microseconds: seen.newestOrdered)
            return try clock.tick(after: clock.isImplausible(newest) ? ordered : newest)
        } catch {
            throw EntityStoreError(
                .timeOutOfRange, "nothing can be written: \(error.message)", cause: error)
        }
    }

    /// Refuses to write while this device's log can't be read: new rows could neither continue it
    /// nor remove its entries.
    func requireOwnLog(_ device: DeviceID) throws {
        if known[device]?.refusal != nil {
            // The device's file may have been repaired since the last check.
            try? backing.sync()
            if let problem = known[device]?.refusal { throw Self.refusal(problem) }
        }
        // If the log was recreated or restored from an older copy, new rows would get the numbers
        // of rows that other devices have removed.
        guard let last = graph.lastCoveredRow(of: device), last > graph.lastRow(of: device) else {
            return
        }
        // Another process of this device may have written the missing rows.
        try? backing.sync()
        let row = graph.lastRow(of: device)
        guard last > row else { return }
        let end = row == 0 ? "the log has no rows" : "the log ends with row \(row)"
        throw Self.refusal("another device has seen row \(last) of this log, but \(end)")
    }

    /// The time of this device's newest row.
    var newestOwn: Timestamp? { ownDevice.flatMap { known[$0]?.last } }

    private static func refusal(_ problem: String) -> EntityStoreError {
        EntityStoreError(
            .ownLogUnreadable,
            "this device's log can't be read to its end, so nothing is written to it: \(problem)")
    }

    /// Does nothing: each write is on disk when it returns.
    public func save() {}

    /// Stops watching, closes all files and ends all event sequences. Reads continue from memory,
    /// and ``load()`` reopens the store.
    public func close() {
        guard phase != .closed else { return }
        phase = .closed
        backing.close()
        hub.finish()
    }
}
