import KeyValueStore
import Replication
import Synchronization

/// The state shared by the panes of a key-value store: the store, the writing device, and whether
/// writing is unlocked.
///
/// The store is opened with its device, but creates no files before the first edit is saved.
final class KeyValueContext: Sendable {
    let store: KeyValueStore
    let package: StorePackage
    /// The folder of the writing device might not exist yet.
    let writing: WriteAccess
    var device: DeviceID? { writing.device }
    private let storeState = Mutex(StoreState())
    private let lostOnClosing = Mutex<UnsavedChanges?>(nil)

    init(store: KeyValueStore, package: StorePackage, device: DeviceID?, isWritable: Bool) {
        self.store = store
        self.package = package
        writing = WriteAccess(as: device, isUnlocked: isWritable)
    }

    /// A state of the store, for caching.
    struct StoreState: Hashable, Sendable {
        var loads = 0
        var changes = 0
    }

    var state: StoreState { storeState.withLock { $0 } }

    /// Records that the store was changed or reloaded.
    func noteChange(isLoad: Bool = false) {
        storeState.withLock { state in
            state.changes += 1
            if isLoad { state.loads += 1 }
        }
    }

    /// Returns a mark for cached results about a past instant. A result with an equal mark is still
    /// valid, because no further rows from before the instant have arrived. Returns `nil` for the
    /// present, or if the mark is unknown.
    func mark(at instant: Timestamp?) -> Int? {
        guard let instant else { return nil }
        let count = try? store.rowCount(KeyValueStore.RowFilter(through: instant))
        return count.map { count in
            var hasher = Hasher()
            hasher.combine(state.loads)
            hasher.combine(count)
            return hasher.finalize()
        }
    }

    /// The changes that could not be written on closing.
    var lost: UnsavedChanges? {
        get { lostOnClosing.withLock { $0 } }
        set { lostOnClosing.withLock { $0 = newValue } }
    }

    /// The changes that are shown but not on disk, because a write failed.
    var unsaved: UnsavedChanges? {
        if let lost { return lost }
        guard let failure = store.saveFailure else { return nil }
        let keys = store.unsavedKeys
        return keys.isEmpty ? nil : UnsavedChanges(subjects: keys, reason: reason(of: failure))
    }

    /// Describes an error about a file of the store.
    func reason(of error: any Error) -> String { .reason(of: error, inStoreAt: package.path) }

    var availability: Availability {
        .writing(as: device, isWritable: writing.isUnlocked, unless: ownProblem)
    }

    /// The reason why this device's log can't be appended to.
    var ownProblem: String? {
        store.ownLogProblem.map { "this device's log is not fully readable: \($0)" }
    }

    /// Returns the display name of a device or, if it has none, its identifier.
    func name(of device: DeviceID) -> String {
        store.devices.first { $0.device == device }?.name ?? device.name
    }

    func name(of author: Author) -> String { author.name { name(of: $0) } }

    /// The path of the file to which edits are written, relative to the package.
    var ownFile: String { package.shownName(of: .logs, of: device) }

    var createsDevice: Bool { package.lacksFolder(of: device) }
}
