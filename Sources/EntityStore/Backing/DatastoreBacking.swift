import GRDB
import Replication
import Synchronization

/// The Core Data file of the original Datastore, which is read only.
///
/// What its journals hold is read with it. A changed file is read anew as a whole: its rows have no
/// order by which the new ones could be told.
final class DatastoreBacking: EntityBacking {
    /// The name that the file's entries bear.
    static let deviceName = "datastore"

    let ownDevice: DeviceID? = nil
    private let path: String
    private let state: Mutex<State>

    private struct State {
        var stamp: FileStamp?
        var status: EntityDeviceStatus
    }

    init(path: String) throws {
        self.path = path
        state = Mutex(
            State(
                status: EntityDeviceStatus(device: try DeviceID(Self.deviceName), state: .ok)))
    }

    var isThere: Bool { (try? FileStamp(ofFileAt: path)) != nil }

    /// - Throws: `ReplicationError` at the first reading only; later ones keep what was read.
    func read() throws -> BackingRead {
        try state.withLock { state in
            let isFirst = state.stamp == nil && state.status.rowCount == 0
            let device = state.status.device
            do {
                let outcome = try ForeignDatabase.read(path, unless: state.stamp) { db in
                    try DatastoreReader.read(db, device: device)
                }
                guard case .read(let found, let stamp) = outcome else {
                    return BackingRead(devices: [state.status])
                }
                state.stamp = stamp
                state.status.state = .ok
                state.status.problem = found.problem
                state.status.rowCount = found.batch.rows.count
                state.status.newest = found.batch.rows.map(\.timestamp).max()
                    .map { Timestamp(microseconds: $0) }
                state.status.byteCount = stamp.byteCount
                return BackingRead(
                    isAnew: !isFirst, batches: [found.batch], devices: [state.status])
            } catch {
                if isFirst { throw error }
                let code = (error as? ReplicationError)?.code
                state.stamp = nil
                state.status.state =
                    code == .notFound ? .absent : code == .incomplete ? .incomplete : .unreadable
                state.status.problem = "\(error)"
                return BackingRead(devices: [state.status], isGone: code == .notFound)
            }
        }
    }

    func readAll() throws -> [RowBatch] {
        let device = try DeviceID(Self.deviceName)
        let outcome = try ForeignDatabase.read(path) {
            try DatastoreReader.read($0, device: device)
        }
        guard case .read(let found, _) = outcome else { return [] }
        return [found.batch]
    }

    func append(
        _ operations: [EntityOperation], timestamp: Timestamp
    ) throws -> BackingAppend {
        throw EntityStoreError(
            .readOnly, "\(path) is a file of the original Datastore, which is only ever read")
    }

    func watch(_ wake: @escaping @Sendable () -> Void) {}

    func close() {}
}
