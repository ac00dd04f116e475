public import AutoModel
public import EntityStore
public import Replication

/// An actor that keeps synced models in sync on all devices that share a store package.
///
/// ```swift
/// @AutoModel final class Note {
///     var text = ""
///     static var schema: ModelSchema<Note> { ModelSchema().synced() }
/// }
///
/// let database = try await AutoDatabase.open(at: path, models: Note.self)
/// let sync = try await AutoSync.start(
///     database, in: StorePackage(creating: folder), device: DeviceID("desk"))
/// ```
///
/// Each model is a type of entities, each row an entity, and each property a property of the
/// entity. A many-to-many relation is a property with an entry for each target. Each device writes
/// its own `Entities.db` in the package. The tables of its database are copies that you can query.
/// Tables and log are kept in sync in both directions. Tideline and other users of `EntityStore`
/// read and write the same entities.
///
/// - The newest value of a property wins. Values that devices set concurrently remain as sides of a
///   conflict until the property is set again (``conflicts()``). Values that were saved while sync
///   wasn't running can also be sides.
/// - Deleting a row wins over concurrent writes to it.
/// - Concurrent changes to a list are merged.
/// - The transaction that writes a row also records the write. If the program ends before sending
///   the write, it is sent after the next start.
public actor AutoSync {
    /// An event of the sync.
    public enum Event: Sendable {
        /// Rows of the tables were appended to this device's log.
        case sent(rows: Int)
        /// The tables now contain rows of other devices.
        case received(rows: Int)
        /// Rows couldn't be sent or applied. The sync tries again with the next change.
        case failed(any Error)
        /// Tables rejected rows of other devices, because another row has the same value in a
        /// unique column.
        case refused(rows: Int)
    }

    /// The entities of the package, for reading and writing alongside the models.
    public nonisolated let entities: EntityStore
    let files: [SyncedFile]
    let names: EntityNames
    let clock: HybridClock
    let ownDevice: DeviceID
    private nonisolated let hub = EventHub<Event>()
    private var following: [AnyObject] = []
    private var tasks: [Task<Void, Never>] = []
    /// Whether the program may have ended between sending values and recording that they are sent.
    var mayBeSent = true
    /// Whether rows wait for a log that the package lacks.
    var hasPostponed = false
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isStopped = false

    private init(
        _ entities: EntityStore, _ files: [SyncedFile], _ device: DeviceID, _ clock: HybridClock
    ) {
        self.entities = entities
        self.files = files
        ownDevice = device
        self.clock = clock
        names = EntityNames(files.flatMap(\.models))
    }

    /// Starts syncing the synced models of a database with other devices.
    ///
    /// When this method returns, the tables match the package, and this device's log contains all
    /// writes to the tables.
    ///
    /// - Parameters:
    ///   - package: The package that the devices share.
    ///   - device: This device's name, which must be unique.
    ///   - configuration: Options for following the package.
    /// - Returns: The running sync. Sync ends when you release this object.
    /// - Throws: `AutoModelError`, `EntityStoreError` or `ReplicationError`.
    /// - Complexity: O(*n*) in the rows of the synced models and of the package.
    public static func start(
        _ database: AutoDatabase, in package: StorePackage, device: DeviceID,
        configuration: EntityStore.Configuration = EntityStore.Configuration()
    ) async throws -> AutoSync {
        let entities = EntityStore(package: package, device: device, configuration: configuration)
        let sync = AutoSync(entities, database.syncedFiles, device, configuration.clock)
        do {
            try await sync.begin()
        } catch {
            await sync.stop()
            throw error
        }
        return sync
    }

    private func begin() async throws {
        let events = entities.events()
        try await entities.load()
        let (ticks, tick) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        following = files.map { $0.follow { tick.yield() } }
        for file in files { try await file.adopt() }
        try await alone {
            try await self.send()
            try await self.takeAll()
        }
        tasks = [
            Task { [weak self] in
                for await _ in ticks { await self?.report { try await $0.send() } }
            },
            Task { [weak self] in
                for await event in events { await self?.take(event) }
            },
        ]
    }

    /// Returns a sequence of all later events. It ends with ``stop()``.
    public nonisolated func events() -> AsyncStream<Event> { hub.events() }

    /// Sends unsent writes, then reads and applies the writes of other devices. When this method
    /// returns, the tables match the package.
    ///
    /// - Throws: `AutoModelError`, `EntityStoreError` or `ReplicationError`.
    /// - Complexity: O(*n*) in the rows of the synced models.
    public func sync() async throws {
        try await alone {
            try await self.send()
            try await self.entities.sync()
            try await self.takeAll()
        }
    }

    /// Sends unsent writes and closes the package. Writes made after this call are sent when
    /// syncing is started again.
    public func stop() async {
        guard !isStopped else { return }
        isStopped = true
        following = []
        for task in tasks { task.cancel() }
        await report { try await $0.send() }
        await entities.close()
        hub.finish()
    }

    private func take(_ event: EntityStore.Event) async {
        switch event.kind {
        case .changed(let changes) where changes.origin != .local:
            let references = changes.added + changes.changed + changes.deleted
            await report { sync in
                if sync.hasPostponed { try await sync.send() }
                try await sync.take(references)
            }
        case .device(let status) where status.state != .ok: break
        case .device, .returned:
            // Send and apply the changes that were postponed until this log could be read.
            await report { sync in
                if sync.hasPostponed { try await sync.send() }
                try await sync.takeAll()
            }
        default: break
        }
    }

    func post(_ event: Event) { hub.post(event) }

    private func report(_ body: @Sendable (isolated AutoSync) async throws -> Void) async {
        do {
            try await alone { try await body(self) }
        } catch {
            post(.failed(error))
        }
    }

    /// Runs one operation at a time, so that each operation finds the tables and the package in
    /// sync.
    func alone<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        while isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
        defer {
            isBusy = false
            if !waiting.isEmpty { waiting.removeFirst().resume() }
        }
        return try await body()
    }

    /// Returns the given rows that other devices know, with the rows' identifiers on those devices.
    func known(of keys: Set<RowKey>) async throws -> [RowKey: String] {
        var known: [RowKey: String] = [:]
        for file in files { known.merge(try await file.known(of: keys)) { first, _ in first } }
        return known
    }
}
