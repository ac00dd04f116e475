import EntityStore
import Foundation
public import Replication
import Synchronization

extension PaneID {
    /// The types of entities, each with a table of its entities in it.
    public static let types = PaneID("types")
}

/// The entities of a store as part of a session: all of them, and by type.
///
/// A package without entities has no room for them, unless one may be written: then there is one,
/// to add the first in.
public final class EntitiesPart: SessionPart {
    private let allPanes: [Pane]
    private let context: EntityContext
    private let state = Mutex(State())

    private struct State {
        var phase = SessionStatus.Phase.loading(stage: "reading entities", fraction: nil)
        var devices: [EntityDeviceStatus] = []
        /// Whether any device has entities; never again false.
        var isPresent = true
        var entityCount = 0
        var typeCount = 0
        var tasks: [Task<Void, Never>] = []
        /// Of a file outside a package, whose store watches nothing itself.
        var watcher: FileWatcher?
    }

    /// The entities of a package.
    ///
    /// - Parameter device: Who would write; `nil`: nothing can be written.
    public convenience init(package: StorePackage, device: DeviceID?, isWritable: Bool) {
        self.init(
            EntityContext(place: .package(package), device: device, isWritable: isWritable))
        let isPresent = Self.isPresent(in: package)
        state.withLock { $0.isPresent = isPresent }
    }

    /// The entities of a file of the original Datastore, for reading.
    public convenience init(coreData path: String) {
        self.init(EntityContext(place: .coreData(path), device: nil, isWritable: false))
    }

    /// The entities of one device's `Entities.db`, for reading.
    public convenience init(log path: String) {
        self.init(EntityContext(place: .log(path), device: nil, isWritable: false))
    }

    private init(_ context: EntityContext) {
        self.context = context
        allPanes = [
            Pane(.entities, EntitiesSource(context)), Pane(.types, TypesSource(context)),
        ]
    }

    /// Entities and types, once there are any or some could be written.
    public var panes: [Pane] {
        isPresent || (context.isWritable && context.device != nil) ? allPanes : []
    }

    /// Whether there are entities, as far as is known.
    var isPresent: Bool { state.withLock { $0.isPresent } }

    /// Whether any device of a package has entities.
    public static func isPresent(in package: StorePackage) -> Bool {
        ((try? package.devices()) ?? []).contains { $0.has(.entities) }
    }

    /// Adds the phase, the counts and the devices with entities.
    public func contribute(to status: inout SessionStatus) {
        let (state, isPresent) = state.withLock {
            (($0.phase, $0.devices, $0.entityCount, $0.typeCount), $0.isPresent)
        }
        // In a package the first part that is still at work, or failed, is what the header shows;
        // that the package is gone is true of all, whoever saw it first.
        if status.phase == .live, isPresent || state.0 == .gone { status.phase = state.0 }
        status.ownDevice = status.ownDevice ?? context.device
        if let unsaved = context.waiting.unsaved { status.unsaved = status.unsaved + unsaved }
        if isPresent {
            status.counts[.entities] = state.2
            status.counts[.types] = state.3
        }
        for device in state.1 {
            let name = context.name(of: device.device)
            if let problem = device.problem {
                status.problems.append("\(name): entities: \(problem)")
            }
            if let place = status.devices.firstIndex(where: { $0.id == device.device }) {
                status.devices[place].rows += device.rowCount
                let newest = [status.devices[place].newest, device.newest].compactMap { $0 }.max()
                status.devices[place].newest = newest
            } else {
                status.devices.append(
                    SessionStatus.Device(
                        id: device.device, name: name, state: device.state.rawValue,
                        problem: device.problem, rows: device.rowCount, newest: device.newest,
                        isOwn: device.device == context.device))
            }
        }
    }

    /// Opens the store and tells what is written in it.
    public func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        if let file = context.file {
            let watcher = try? FileWatcher(file, isDatabase: true) { [weak self] in
                Task { await self?.reload() }
            }
            state.withLock { $0.watcher = watcher }
        }
        context.onNews { emit(SessionEvent(.status, date: Date(), summary: "entities: \($0)")) }
        let task = Task { [weak self, context] in
            do {
                let store = try await context.open()
                let events = await store.events()
                await self?.note(store)
                self?.state.withLock { $0.phase = .live }
                let count = self?.state.withLock { $0.entityCount } ?? 0
                emit(
                    self?.isPresent == true
                        ? SessionEvent(.loaded, date: Date(), summary: "loaded \(count) entities")
                        : SessionEvent(.status, date: Date()))
                for await event in events {
                    await self?.note(store)
                    self?.handle(event, emit)
                }
            } catch {
                self?.state.withLock { $0.phase = .failed(String(describing: error)) }
                emit(SessionEvent(.status, date: Date(), summary: String(describing: error)))
            }
        }
        state.withLock { $0.tasks.append(task) }
    }

    private func note(_ store: EntityStore) async {
        let counts = await store.typeCounts()
        let devices = await store.devices()
        state.withLock { state in
            state.devices = devices
            if !counts.isEmpty || devices.contains(where: { $0.rowCount > 0 }) {
                state.isPresent = true
            }
            state.typeCount = counts.count
            state.entityCount = counts.values.reduce(0, +)
        }
    }

    private func handle(_ event: EntityStoreEvent, _ emit: @Sendable (SessionEvent) -> Void) {
        switch event {
        case .changed(let changes):
            emit(Self.event(changes, own: context.device))
        case .devices(let devices):
            for device in devices where device.problem != nil {
                emit(
                    SessionEvent(
                        .device(state: device.state.rawValue, problem: device.problem),
                        date: Date(), device: device.device,
                        summary: "entities: \(device.problem ?? "")"))
            }
            emit(SessionEvent(.status, date: Date()))
        case .gone:
            state.withLock { $0.phase = .gone }
            emit(SessionEvent(.deleted, date: Date(), summary: "the store is gone"))
        case .returned:
            state.withLock { $0.phase = .live }
            emit(SessionEvent(.status, date: Date(), summary: "the store is there again"))
        }
    }

    private static func event(_ changes: EntityChanges, own: DeviceID?) -> SessionEvent {
        var marks: [RowID: RowMark] = [:]
        for (references, mark) in [
            (changes.added, RowMark.new), (changes.changed, .changed), (changes.deleted, .gone),
        ] {
            for reference in references {
                if let identifier = reference.identifier { marks[RowID(identifier)] = mark }
            }
        }
        let parts = [
            (changes.added.count, "+"), (changes.changed.count, "~"), (changes.deleted.count, "-"),
        ].filter { $0.0 > 0 }.map { "\($0.1)\($0.0)" }
        let device: DeviceID? =
            switch changes.origin {
            case .local: own
            case .device(let device): device
            case .reload: nil
            }
        let keys = changes.keys.sorted().prefix(4).texts.joined(separator: ", ")
        return SessionEvent(
            .changed(.entities, rows: marks, isOwn: changes.origin == .local), date: Date(),
            device: device,
            summary: "\(parts.joined(separator: " ")) entities"
                + (keys.isEmpty ? "" : ": \(keys)"))
    }

    /// Looks at every file now.
    public func reload() async { await context.store?.reload() }

    /// Whether edits are let through; a store of a single file can never be written.
    public func setWritable(_ isWritable: Bool) { context.isWritable = isWritable }

    /// When each device wrote entities; `nil` while the store is not open, or empty.
    ///
    /// - Throws: Nothing.
    /// - Complexity: O(*n*) in the number of entries.
    public func timeline(buckets: Int) async throws -> Timeline? {
        guard let found = await context.store?.activity(parts: buckets) else { return nil }
        return Timeline(first: found.first, last: found.last, activity: found.counts)
    }

    /// The nearest instant at which entities were written.
    ///
    /// - Throws: Nothing.
    /// - Complexity: O(*n*) in the number of entries.
    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    {
        await context.store?.nearestWrite(to: instant, backwards: backwards, device: device)
    }

    public func withdraw() async throws -> [String] { await context.withdrawWaiting() }

    /// Ends watching and closes the store.
    public func close() async {
        // What waits gets one more try, and is lost if that fails.
        context.store?.lockPatience.shorten(to: .seconds(1))
        if context.waiting.first != nil { _ = await context.writeWaiting() }
        let tasks = state.withLock { state in
            state.watcher = nil
            return state.tasks
        }
        for task in tasks { task.cancel() }
        await context.store?.close()
    }
}
