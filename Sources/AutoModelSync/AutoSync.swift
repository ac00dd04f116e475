public import AutoModel
public import EntityStore
public import Replication

/// Keeps synced models alike on all devices that share a store package.
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
/// A model is a type of entities, a row one entity, a property one property of it, and a relation of
/// many to many the entries of one property. Each device writes its own `Entities.db` in the package;
/// the tables are copies for asking, kept alike with it in both directions. Tideline, and whatever
/// else uses `EntityStore`, reads and writes the same.
///
/// - The newest value of a property counts. Where devices set it without knowing of each other, it
///   has more than one value until somebody writes it again: a conflict (``conflicts()``).
/// - A deletion ends a row, whatever others write to it meanwhile.
/// - What devices put into a list, and take out of it, is merged.
/// - What a transaction wrote is noted in its file with it. A program that ends before it was sent
///   sends it when it is started again.
public actor AutoSync {
    /// Something that happened.
    public enum Event: Sendable {
        /// Rows of this device are in its log.
        case sent(rows: Int)
        /// Rows that others wrote are in the tables.
        case received(rows: Int)
        /// Something could not be sent or taken over now; it is tried again with what comes next.
        case failed(any Error)
        /// A table refuses rows of others: another row has the same value where each must have its
        /// own.
        case refused(rows: Int)
    }

    /// The entities of the package, to be read and written beside the models.
    public nonisolated let entities: EntityStore
    let files: [SyncedFile]
    let names: EntityNames
    let clock: HybridClock
    private let device: DeviceID
    private nonisolated let hub = EventHub<Event>()
    private var following: [AnyObject] = []
    private var tasks: [Task<Void, Never>] = []
    /// Whether what waits may have been sent by a program that ended before it could say so.
    var mayBeSent = true
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isStopped = false

    private init(
        _ entities: EntityStore, _ files: [SyncedFile], _ device: DeviceID, _ clock: HybridClock
    ) {
        self.entities = entities
        self.files = files
        self.device = device
        self.clock = clock
        names = EntityNames(files.flatMap(\.models))
    }

    /// Begins to keep the synced models of a database alike with those of other devices.
    ///
    /// When this returns, the tables are what the package says, and what this device had written is in
    /// its log.
    ///
    /// - Parameters:
    ///   - device: The name of this device, which no other has.
    ///   - configuration: How the package is followed.
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

    /// What happens from now on; ends with ``stop()``.
    public nonisolated func events() -> AsyncStream<Event> { hub.events() }

    /// Sends what waits, looks for what others wrote, and takes it over: when this returns, both are
    /// alike.
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

    /// Sends what waits and lets go of the package. What is written afterwards is sent when it is
    /// started again.
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
            await report { try await $0.take(references) }
        case .device(let status) where status.state != .ok: break
        case .device, .returned:
            // What waited for it may be told now.
            await report { try await $0.takeAll() }
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

    /// One thing after another: each leaves both sides alike.
    func alone<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        while isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
        defer {
            isBusy = false
            if !waiting.isEmpty { waiting.removeFirst().resume() }
        }
        return try await body()
    }

    var ownDevice: DeviceID { device }

    /// Those of some rows that other devices know, with the names that they have there.
    func known(of keys: Set<RowKey>) async throws -> [RowKey: String] {
        var known: [RowKey: String] = [:]
        for file in files { known.merge(try await file.known(of: keys)) { first, _ in first } }
        return known
    }
}
