import Foundation
import KeyValueStore
import Replication
import Synchronization

/// What the panes of a key-value store share: the store, and whether and as whom to write.
///
/// The store knows its device from the start; nothing of it appears in the package before the first
/// edit is saved.
final class KeyValueContext: Sendable {
    let store: KeyValueStore
    let package: StorePackage
    /// Who would write: its folder need not exist yet.
    let device: DeviceID?
    private let writable: Mutex<Bool>
    private let storeState = Mutex(StoreState())
    private let lostOnClosing = Mutex<UnsavedChanges?>(nil)

    init(store: KeyValueStore, package: StorePackage, device: DeviceID?, isWritable: Bool) {
        self.store = store
        self.package = package
        self.device = device
        writable = Mutex(isWritable)
    }

    /// Which state of the store something was found in.
    struct StoreState: Hashable, Sendable {
        var loads = 0
        var changes = 0
    }

    /// The state that the store is in.
    var state: StoreState { storeState.withLock { $0 } }

    /// Notes that the store has changed, or was read anew.
    func noteChange(isLoad: Bool = false) {
        storeState.withLock { state in
            state.changes += 1
            if isLoad { state.loads += 1 }
        }
    }

    /// What tells that an answer about an instant of the past holds, whatever has been written
    /// since: that no rows came that were written before it. `nil` for the present, and where
    /// nobody can tell.
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

    var isWritable: Bool {
        get { writable.withLock { $0 } }
        set { writable.withLock { $0 = newValue } }
    }

    /// What closing could not write.
    var lost: UnsavedChanges? {
        get { lostOnClosing.withLock { $0 } }
        set { lostOnClosing.withLock { $0 = newValue } }
    }

    /// What is shown and not on disk, once an attempt to write it has failed.
    var unsaved: UnsavedChanges? {
        if let lost { return lost }
        guard let reason = store.saveProblem else { return nil }
        let keys = store.unsavedKeys
        return keys.isEmpty ? nil : UnsavedChanges(subjects: keys, reason: reason)
    }

    var availability: Availability {
        .writing(as: device, isWritable: isWritable, unless: ownProblem)
    }

    /// Why nothing can be appended to this device's log.
    var ownProblem: String? {
        store.ownLogProblem.map { "this device's log cannot be read to its end: \($0)" }
    }

    /// The name that people gave a device, else its identifier.
    func name(of device: DeviceID) -> String {
        store.devices.first { $0.device == device }?.name ?? device.name
    }

    func name(of author: Author) -> String { author.name { name(of: $0) } }

    /// The file that edits go to, as the package names it.
    var ownFile: String {
        device.flatMap { try? package.name(of: .logs, of: $0) } ?? ""
    }

    var createsDevice: Bool {
        guard let device, let folder = try? package.device(device) else { return true }
        return !folder.has(.logs)
    }
}
