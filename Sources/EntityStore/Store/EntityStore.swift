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
/// - Deleting an entity ends it, its properties and the relationships to it, whatever other devices
///   write to it meanwhile. Only making an entity of that identifier anew, later, brings it back,
///   and then with what is written from then on.
/// - Where two devices make one identifier, the older making says the type.
public actor EntityStore {
    private let executor: QueueExecutor
    let backing: any EntityBacking
    let clock: HybridClock
    var graph = EntityGraph()
    private var hub = EventHub()
    private(set) var statuses: [EntityDeviceStatus] = []
    /// What listeners were told last.
    private var announced: [EntityDeviceStatus] = []
    /// How long to wait before looking again at what is half there; `nil` while nothing is.
    private var patience: Duration?
    private(set) var isGone = false
    private var isClosed = false
    var types: [Name: any EntityReferencing.Type] = [:]
    /// The last list that was asked for, so that a window into it costs the window.
    var lastSelection: Selection?

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
        executor = QueueExecutor(label: "Tideline.entities")
        graph.isTracking = true
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

    /// The entities of a package.
    ///
    /// Returns when everything has been read. Devices whose files cannot be read are shown by
    /// ``devices()``; the others' entities are there.
    ///
    /// - Parameters:
    ///   - device: Who writes; `nil` to read only. Its folder and file are made by the first write.
    ///   - lockTimeout: How long a write waits for the lock of another process. Others wait for the
    ///     write meanwhile; what it threw `.busy` from is not written, neither now nor later.
    /// - Throws: `ReplicationError` when there is no package.
    /// - Complexity: O(*n*) in the number of rows of all devices, in time and in memory.
    public static func open(
        package path: String, device: DeviceID? = nil, clock: HybridClock = HybridClock(),
        lockTimeout: Duration = .seconds(5)
    ) async throws -> EntityStore {
        try await open(
            StorePackage(opening: path), device: device, clock: clock, lockTimeout: lockTimeout)
    }

    /// The entities of a package that is open already.
    ///
    /// - Throws: `ReplicationError` when the package is gone.
    /// - Throws: `ReplicationError` when the package cannot be listed. One that has gone since it
    ///   was opened is empty.
    /// - Complexity: As ``open(package:device:clock:)``.
    /// - Complexity: As ``open(package:device:clock:)``.
    public static func open(
        _ package: StorePackage, device: DeviceID? = nil, clock: HybridClock = HybridClock(),
        lockTimeout: Duration = .seconds(5)
    ) async throws -> EntityStore {
        var options = LocalDatabase.Options()
        options.patience = LockPatience(lockTimeout)
        let store = EntityStore(
            backing: PackageBacking(package, device: device, options: options), clock: clock,
            lockPatience: options.patience)
        try await store.start()
        return store
    }

    /// The Core Data file (`.sqlite`) of the original Datastore, for reading.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.unreadable` for another kind of file,
    ///   `.incomplete` for one that is half there.
    /// - Complexity: O(*n*) in the number of its rows.
    public static func open(coreData path: String) async throws -> EntityStore {
        let store = EntityStore(
            backing: try DatastoreBacking(path: path), clock: HybridClock())
        try await store.start()
        return store
    }

    /// One device's `Entities.db`, wherever it lies, for reading.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.unreadable` for another kind of file,
    ///   `.incomplete` for one that is half there.
    /// - Complexity: O(*n*) in the number of its rows.
    public static func open(log path: String) async throws -> EntityStore {
        let store = EntityStore(backing: LogFileBacking(path: path), clock: HybridClock())
        try await store.start()
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

    /// The status of each device's file, by device.
    public func devices() -> [EntityDeviceStatus] { statuses }

    // MARK: Reading files

    /// Reads everything for the first time and begins to watch.
    func start() throws {
        let read = try backing.read()
        graph.isTracking = false
        for batch in read.batches { try take(batch) }
        graph.settle()
        graph.isTracking = true
        statuses = read.devices
        announced = statuses
        isGone = read.isGone
        retryLater()
        backing.watch { [weak self] in
            Task { await self?.catchUp() }
        }
    }

    /// Reads what is new, now. Devices that cannot be read are shown by ``devices()``.
    ///
    /// - Complexity: A look at each device's file, and O(*n*) in the number of new rows; of all
    ///   rows where a file was replaced.
    public func reload() {
        catchUp()
    }

    private func catchUp() {
        guard !isClosed else { return }
        do {
            let read = try backing.read()
            if isGone, !read.isGone { hub.send(.returned) }
            if read.isAnew {
                try readAnew(read)
            } else {
                for batch in read.batches {
                    try take(batch)
                    announce(.device(batch.device), rowCount: batch.rows.count)
                }
            }
            statuses = read.devices
            // A file that is half there is most often being written: it gets a second look before
            // anybody is told.
            if patience != nil || !retryLater() { announceDevices() }
            if read.isGone, !isGone { hub.send(.gone) }
            isGone = read.isGone
        } catch {
            // What was read stays; the next look may succeed.
            if !isGone, !backing.isThere {
                isGone = true
                hub.send(.gone)
            }
        }
    }

    private func announceDevices() {
        guard statuses != announced else { return }
        announced = statuses
        hub.send(.devices(statuses))
    }

    /// Looks again after a while, and then after longer and longer waits, where a file is half
    /// there.
    ///
    /// - Returns: Whether there is such a file.
    @discardableResult
    private func retryLater() -> Bool {
        guard !isClosed, statuses.contains(where: { $0.state == .incomplete }) else {
            return false
        }
        guard patience == nil else { return true }
        let delay = Duration.milliseconds(500)
        patience = delay
        Task { [weak self] in await self?.retry(after: delay) }
        return true
    }

    private func retry(after delay: Duration) async {
        var delay = delay
        while !isClosed {
            try? await Task.sleep(for: delay)
            catchUp()
            guard statuses.contains(where: { $0.state == .incomplete }) else { break }
            delay = min(delay * 2, .seconds(60))
        }
        patience = nil
    }

    private func readAnew(_ read: BackingRead) throws {
        var fresh = EntityGraph()
        swap(&graph, &fresh)
        graph.isTracking = false
        do {
            for batch in read.batches { try take(batch) }
        } catch {
            swap(&graph, &fresh)
            throw error
        }
        graph.settle()
        graph.isTracking = true
        graph.continueVersion(of: fresh)
        let changes = graph.difference(from: fresh)
        if !changes.isEmpty { hub.send(.changed(changes)) }
    }

    private func take(_ batch: RowBatch) throws {
        try graph.ingest(batch)
        if batch.device == backing.ownDevice, let last = batch.rows.last {
            clock.observe(Timestamp(microseconds: last.timestamp))
        }
    }

    private func announce(_ origin: EntityChanges.Origin, rowCount: Int) {
        graph.settle()
        let changes = graph.takeChanges(origin: origin, rowCount: rowCount)
        if !changes.isEmpty { hub.send(.changed(changes)) }
    }

    // MARK: Writing

    /// Writes operations in one transaction and takes them in.
    func write(_ operations: [EntityOperation], after seen: Int64) throws {
        guard !isClosed else {
            throw EntityStoreError(.closed, "the store was closed")
        }
        guard let device = backing.ownDevice else {
            throw EntityStoreError(.readOnly, "the store is read-only")
        }
        guard !operations.isEmpty else { return }
        try requireOwnLog(device)
        let timestamp = try tick(after: Timestamp(microseconds: seen), as: device)
        let written: BackingAppend
        do {
            written = try backing.append(operations, timestamp: timestamp)
        } catch is StaleLog {
            catchUp()
            do {
                written = try backing.append(operations, timestamp: timestamp)
            } catch is StaleLog {
                throw Self.refusal(
                    ownStatus(device)?.problem ?? "another log stands in its place")
            }
        }
        if let others = written.others {
            try take(others)
            announce(.device(device), rowCount: others.rows.count)
        }
        try take(written.own)
        announce(.local, rowCount: written.own.rows.count)
        noteOwn(device, written.own)
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
        if ownStatus(device)?.state == .unreadable {
            // It may have been put right since it was looked at.
            catchUp()
            if let status = ownStatus(device), status.state == .unreadable {
                throw Self.refusal(status.problem ?? "it cannot be read")
            }
        }
        // Rows of a log that began anew would count as those that others took back.
        if ownStatus(device)?.rowCount ?? 0 == 0, let last = graph.lastCoveredRow(of: device) {
            throw Self.refusal("another device has seen row \(last) of it, and it has none")
        }
    }

    private func ownStatus(_ device: DeviceID) -> EntityDeviceStatus? {
        statuses.first { $0.device == device }
    }

    private static func refusal(_ problem: String) -> EntityStoreError {
        EntityStoreError(
            .ownLogUnreadable,
            "This device's log is not known whole, so nothing is written to it: \(problem)")
    }

    private func noteOwn(_ device: DeviceID, _ batch: RowBatch) {
        let timestamp = batch.rows.last.map { Timestamp(microseconds: $0.timestamp) }
        if let place = statuses.firstIndex(where: { $0.device == device }) {
            statuses[place].rowCount = batch.rows.last.map { Int($0.id) } ?? 0
            statuses[place].newest = timestamp
        } else {
            statuses.append(
                EntityDeviceStatus(
                    device: device, state: .ok, rowCount: batch.rows.count, newest: timestamp))
            statuses.sort { $0.device < $1.device }
            announceDevices()
        }
    }

    // MARK: Events

    /// What happens from now on; each call is a subscription of its own. Ends when the store is
    /// closed.
    public func events() -> AsyncStream<EntityStoreEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: EntityStoreEvent.self)
        if isClosed {
            continuation.finish()
            return stream
        }
        let number = hub.add(continuation)
        continuation.onTermination = { [weak self] _ in
            Task { await self?.unsubscribe(number) }
        }
        return stream
    }

    private func unsubscribe(_ number: Int) { hub.remove(number) }

    /// Lets go of every file and ends the event streams. Reading goes on from memory.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        backing.close()
        hub.finish()
    }
}
