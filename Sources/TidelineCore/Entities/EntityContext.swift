import EntityStore
import Foundation
import KeyValueStore
import Replication
import Synchronization

/// What the panes of entities share: the store once it is open, its past, whether and as whom to
/// write.
final class EntityContext: Sendable {
    /// Where the entities are.
    enum Place: Sendable {
        case package(StorePackage)
        /// The original's Core Data file.
        case coreData(String)
        /// One device's log alone.
        case log(String)
    }

    let place: Place
    /// The one file that is read, outside a package.
    var file: String? {
        switch place {
        case .package: nil
        case .coreData(let path), .log(let path): path
        }
    }
    /// The form of the files, as ``StoreInfo`` names it.
    var format: String {
        if case .coreData = place { "datastore" } else { "tideline-2" }
    }
    let device: DeviceID?
    /// Whether what is written meanwhile is taken in.
    let follows: Bool
    /// Edits that wait for a lock.
    let waiting = WaitingEdits()
    /// Whoever writes what waits, or takes it back.
    let turns = Turns()
    private let state: Mutex<State>

    private struct State {
        var isWritable: Bool
        var store: EntityStore?
        var past: Past?
        /// Tells a person what became of an edit that had to wait.
        var tell: (@Sendable (String) -> Void)?
        /// By identifier of device: the name that people gave it.
        var names: [DeviceID: String] = [:]
        /// How many properties are in conflict.
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
        self.device = if case .package = place { device } else { nil }
        state = Mutex(State(isWritable: isWritable))
    }

    var isWritable: Bool {
        get { state.withLock { $0.isWritable } }
        set { state.withLock { $0.isWritable = newValue } }
    }

    /// How many properties devices set without knowing of each other.
    var conflictCount: Int {
        get { state.withLock { $0.conflictCount } }
        set { state.withLock { $0.conflictCount = newValue } }
    }

    /// Has what becomes of edits that had to wait told by `tell`.
    func onNews(_ tell: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.tell = tell }
    }

    func tell(_ text: String) { state.withLock { $0.tell }?(text) }

    /// The store, once it has been read.
    var store: EntityStore? { state.withLock { $0.store } }

    /// Opens and reads the store.
    func open() async throws -> EntityStore {
        let store: EntityStore
        switch place {
        case .package(let package):
            var configuration = EntityStore.Configuration()
            configuration.watchesFolder = follows
            // Who lists entities waits for who writes.
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

    /// The store as it is, or as it was; `nil` while it is being read.
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

    /// Lets go of the store as it was.
    func forgetPast() { state.withLock { $0.past = nil } }

    var availability: Availability {
        guard case .package = place else {
            return .unavailable(because: "a file of this kind can only be read")
        }
        return .writing(as: device, isWritable: isWritable)
    }

    func name(of device: DeviceID) -> String { knownName(of: device) ?? device.name }

    /// The name that people gave a device, where they did.
    func knownName(of device: DeviceID) -> String? { state.withLock { $0.names[device] } }

    /// The file that edits go to, as the package names it.
    var ownFile: String {
        guard case .package(let package) = place, let device else { return "" }
        return (try? package.name(of: .entities, of: device)) ?? ""
    }

    var createsDevice: Bool {
        guard case .package(let package) = place, let device,
            let folder = try? package.device(device)
        else { return true }
        return !folder.isThere
    }
}
