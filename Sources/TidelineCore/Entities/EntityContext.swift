import EntityStore
import KeyValueStore
import Replication
import Synchronization

/// The state shared by the panes of entities: the store, its snapshot of the past, the writing
/// device, and whether writing is unlocked.
final class EntityContext: Sendable {
    /// The location of the entities.
    enum Place: Sendable {
        case package(StorePackage)
        /// A Core Data file of the original Datastore.
        case coreData(String)
        /// A single device's log.
        case log(String)

        /// The format of the files, as in ``StoreInfo``.
        var format: String { if case .coreData = self { "datastore" } else { "tideline-2" } }
    }

    let place: Place
    /// The file that is read outside a package.
    var file: String? {
        switch place {
        case .package: nil
        case .coreData(let path), .log(let path): path
        }
    }
    let writing: WriteAccess
    var device: DeviceID? { writing.device }
    /// Whether later writes of other programs and devices are followed.
    let follows: Bool
    /// Edits that wait for a lock.
    let waiting = WaitingEdits()
    /// Serializes writing and withdrawing the waiting edits.
    let turns = SerialRunner()
    private let state = Mutex(State())

    private struct State {
        var readsParts = false
        var store: EntityStore?
        var past: Past?
        /// Reports the results of waiting edits to the user.
        var report: (@Sendable (String) -> Void)?
        /// The display names of devices.
        var names: [DeviceID: String] = [:]
        /// The number of properties in conflict.
        var conflictCount = 0
    }

    private struct Past {
        var instant: Timestamp
        var revision: UInt64
        var store: EntityStore
    }

    init(place: Place, device: DeviceID?, isWritable: Bool, follows: Bool = true) {
        self.place = place
        self.follows = follows
        let writer: DeviceID? = if case .package = place { device } else { nil }
        writing = WriteAccess(as: writer, isUnlocked: isWritable)
    }

    /// Whether history is read to fill ``SessionEvent/parts``.
    var readsParts: Bool {
        get { state.withLock { $0.readsParts } }
        set { state.withLock { $0.readsParts = newValue } }
    }

    /// The number of properties in conflict.
    var conflictCount: Int {
        get { state.withLock { $0.conflictCount } }
        set { state.withLock { $0.conflictCount = newValue } }
    }

    /// Sets the function that reports the results of waiting edits.
    func onWaitingEdit(_ report: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.report = report }
    }

    func report(_ text: String) { state.withLock { $0.report }?(text) }

    /// The store; `nil` until it has been read.
    var store: EntityStore? { state.withLock { $0.store } }

    func open() async throws -> EntityStore {
        let store: EntityStore
        switch place {
        case .package(let package):
            var configuration = EntityStore.Configuration()
            configuration.watchesFolder = follows
            // Use a short timeout, because the list of entities waits for writes.
            if follows { configuration.lockTimeout = .seconds(1) }
            store = try await EntityStore.open(
                package, device: device, configuration: configuration)
            let names = follows ? package.deviceNames() : [:]
            state.withLock { $0.names = names }
        case .coreData(let path): store = try await EntityStore.open(coreData: path)
        case .log(let path): store = try await EntityStore.open(log: path)
        }
        state.withLock { $0.store = store }
        return store
    }

    /// Returns the current store or a snapshot of the past; `nil` while it is loading.
    func store(at instant: Timestamp?) async throws -> EntityStore? {
        guard let store, let instant else { return store }
        let revision = await store.revision
        let known = state.withLock { $0.past }
        if let known, known.instant == instant, known.revision == revision { return known.store }
        let past = try await store.snapshot(at: instant)
        state.withLock {
            $0.past = Past(instant: instant, revision: revision, store: past)
        }
        return past
    }

    /// Drops the snapshot of the past.
    func forgetPast() { state.withLock { $0.past = nil } }

    var availability: Availability {
        package == nil ? .unavailable(because: Availability.readOnlyKind) : writing.availability
    }

    func name(of device: DeviceID) -> String { knownName(of: device) ?? device.name }

    /// Returns the display name of a device, if any.
    func knownName(of device: DeviceID) -> String? { state.withLock { $0.names[device] } }

    /// The package; `nil` for a single file.
    var package: StorePackage? {
        if case .package(let package) = place { package } else { nil }
    }

    /// The file that edits are written to, relative to the package.
    var ownFile: String { package?.shownName(of: .entities, of: device) ?? "" }

    var createsDevice: Bool { package?.lacksFolder(of: device) ?? true }
}
