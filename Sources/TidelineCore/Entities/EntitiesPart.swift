import EntityStore
import Foundation
public import Replication
import Synchronization

extension PaneID {
    /// The entities.
    public static let entities = PaneID("entities")
    /// The types of entities, each with a table of its entities.
    public static let types = PaneID("types", of: "entities")
}

/// The part of a session that shows the entities of a store: all entities, and entities by type.
///
/// A package without entities gets the panes only if it is writable, so that the first entity can
/// be added.
public final class EntitiesPart: FollowedPart {
    private let allPanes: [Pane]
    private let allConflicts: EntityConflicts
    let context: EntityContext
    /// The arrival times of changed files; `nil` outside a package.
    let arrivals: ArrivalTimes?
    let lifecycle = StoreLifecycle<EntityStore>(stage: "reading entities")
    private let state = Mutex(State())

    private struct State {
        var devices: [DeviceStatus] = []
        /// Whether the package has had entities since the part was created; outside packages,
        /// `true`.
        var isPresent = true
        var entityCount = 0
        var typeCount = 0
    }

    /// Creates the part for the entities of a package.
    ///
    /// - Parameters:
    ///   - device: The writing device; `nil` if the entities are read-only.
    ///   - isWritable: Whether writing is unlocked from the start.
    convenience init(
        package: StorePackage, device: DeviceID?, isWritable: Bool,
        arrivals: ArrivalTimes = ArrivalTimes()
    ) {
        self.init(
            EntityContext(place: .package(package), device: device, isWritable: isWritable),
            arrivals)
        let isPresent = Self.isPresent(in: package)
        state.withLock { $0.isPresent = isPresent }
    }

    init(_ context: EntityContext, _ arrivals: ArrivalTimes? = nil) {
        self.context = context
        self.arrivals = arrivals
        let entities = EntitiesSource(context)
        allPanes = [Pane(.entities, entities), Pane(.types, TypesSource(context))]
        allConflicts = EntityConflicts(context, entities: entities)
    }

    /// The conflicts of all entities.
    public var conflicts: (any ConflictListing)? { isPresent ? allConflicts : nil }

    /// The panes, if there are entities or if entities can be added.
    public var panes: [Pane] {
        isPresent || context.writing.availability == .available ? allPanes : []
    }

    public var possiblePanes: [Pane] { allPanes }

    /// Whether any entities are known to exist.
    var isPresent: Bool { state.withLock { $0.isPresent } }

    /// Returns whether any device of a package has entities.
    public static func isPresent(in package: StorePackage) -> Bool {
        ((try? package.devices()) ?? []).contains { $0.has(.entities) }
    }

    public var status: PartStatus {
        let phase = lifecycle.phase
        return state.withLock { state in
            PartStatus(
                // A part without entities has nothing to load.
                phase: state.isPresent || phase == .missing ? phase : nil,
                ownDevice: context.device,
                devices: state.devices.map {
                    DeviceReport(
                        $0, of: .entities, in: PaneID.entities.part, format: context.place.format,
                        name: context.knownName(of: $0.device))
                },
                conflictCount: context.conflictCount,
                counts: state.isPresent
                    ? [.entities: state.entityCount, .types: state.typeCount] : [:],
                unsaved: context.waiting.unsaved)
        }
    }

    func open() async throws -> EntityStore {
        context.onWaitingEdit { [weak lifecycle] in lifecycle?.emit(.status, "entities: \($0)") }
        return try await context.open()
    }

    /// Watches a file outside a package, which its store doesn't watch.
    func watcher(_ noteChange: @escaping @Sendable () -> Void) -> (any Sendable)? {
        guard let file = context.file, context.follows else { return nil }
        return FileWatcher(file, isDatabase: true, handler: noteChange)
    }

    func changes(of store: EntityStore) -> AsyncStream<EntityStore.Event>? {
        context.follows ? store.events() : nil
    }

    func read(_ store: EntityStore) async { await note(store) }

    func finishLoading(_ store: EntityStore) { lifecycle.emit(loaded) }

    func sync(_ store: EntityStore) async throws { try await store.sync() }

    private var loaded: SessionEvent {
        let (count, devices) = state.withLock { ($0.entityCount, $0.devices.count) }
        guard isPresent else { return SessionEvent(.status, date: Date()) }
        let entities = Counted.text(count, "entity", "entities")
        let report = EventReport(
            "loaded", store: PaneID.entities.part,
            ["devices": .count(devices), "entities": .count(count)],
            text: "loaded: \(Counted.text(devices, "device")), \(entities)")
        return SessionEvent(
            .loaded, date: Date(), summary: "loaded \(entities)",
            report: count > 0 ? report : nil)
    }

    private func note(_ store: EntityStore) async {
        let counts = context.follows ? await store.typeCounts() : [:]
        let devices = await store.devices
        context.conflictCount = await store.conflictCount
        state.withLock { state in
            state.devices = devices
            if !counts.isEmpty || devices.contains(where: { $0.rows > 0 }) {
                state.isPresent = true
            }
            state.typeCount = counts.count
            state.entityCount = counts.values.reduce(0, +)
        }
    }

    func handle(_ event: EntityStore.Event, of store: EntityStore) async {
        switch event.kind {
        case .conflict, .resolved:
            // Update only the count, because every property can cause such an event.
            context.conflictCount = await store.conflictCount
        default: await note(store)
        }
        await report(event.kind, of: store)
    }

    /// Locks or unlocks writing. A store in a single file stays read-only.
    public func setWritable(_ isWritable: Bool) { context.writing.isUnlocked = isWritable }

    /// Sets whether events about changes by other devices contain the old and new values of
    /// properties.
    public func setReadsParts(_ readsParts: Bool) { context.readsParts = readsParts }

    /// Returns the times at which each device wrote entities; empty while the store isn't open.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    public func activity(buckets: Int) async throws -> Activity {
        guard let found = await context.store?.activity(parts: buckets) else { return Activity() }
        return Activity(
            found.counts.mapValues { counts in
                counts.enumerated().compactMap { place, count in
                    guard count > 0 else { return nil }
                    let share = Double(place) / Double(max(1, counts.count - 1))
                    return Activity.Sample(found.first.advanced(share, to: found.last), count)
                }
            })
    }

    /// Returns the nearest instant at which entities were written.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    {
        await context.store?.nearestWrite(to: instant, backwards: backwards, device: device)
    }

    /// Returns the writes to entities at an instant.
    ///
    /// - Throws: Errors from reading the store.
    /// - Complexity: O(*n*) in the number of entries.
    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        try await context.writes(at: instant, device: device)
    }

    public func withdraw() async throws -> [String] { await context.withdrawWaiting() }

    /// Stops watching and closes the store.
    public func close() async {
        // Edits that wait are retried one last time, and lost if that fails.
        context.store?.lockWait.shorten(to: .seconds(1))
        if context.waiting.first != nil { _ = await context.writeWaiting() }
        context.waiting.end()
        lifecycle.cancel()
        await context.store?.close()
    }
}

extension Timestamp {
    /// Returns the instant at a fraction of the time between this and a later instant.
    fileprivate func advanced(_ share: Double, to later: Timestamp) -> Timestamp {
        if share >= 1 { return later }
        let span = Double(later.microseconds) - Double(microseconds)
        return Timestamp(microseconds: Int64(Double(microseconds) + span * max(0, share)))
    }
}
