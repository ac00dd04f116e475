import Dispatch
import GRDB
import Replication
import Synchronization

/// A backing that reads a single entity file at any path.
final class FileBacking: EntityBacking {
    /// The result of reading the file.
    struct Reading: Sendable {
        var batch: EntityRowBatch
        /// Whether the batch has all rows rather than only new ones.
        var isComplete: Bool
        var status: DeviceStatus
        /// The state for the next reading.
        var head: EntityHead?
    }

    private struct State {
        var stamp: FileStamp?
        var status: DeviceStatus?
        var head: EntityHead?
        var receive: (@Sendable (BackingEvent) -> Void)?
        var isDeleted = false
    }

    let ownDevice: DeviceID? = nil
    let queue = DispatchQueue(label: "Tideline.file", qos: .userInitiated)
    private let path: String
    private let refusal: String
    private let read: @Sendable (Database, EntityHead?) throws -> Reading
    private let state = Mutex(State())

    /// - Parameters:
    ///   - refusal: The reason why the file can't be written, as a clause.
    ///   - read: Reads new rows, or everything if there is no head.
    private init(
        _ path: String, refusal: String,
        read: @escaping @Sendable (Database, EntityHead?) throws -> Reading
    ) {
        self.path = path
        self.refusal = refusal
        self.read = read
    }

    /// Returns a backing for one device's log.
    static func log(_ path: String) -> FileBacking {
        let log = EntityLog()
        return FileBacking(path, refusal: "\(path) is read-only; write to its package instead") {
            let device = try log.identity(in: $0).device
            var reading = try log.read($0, of: device, after: $1)
            var isComplete = $1 == nil
            if case .replaced = reading {
                isComplete = true
                reading = try log.read($0, of: device, after: nil)
            }
            guard case .rows(let batch, let head) = reading else {
                throw ReplicationError(.incomplete, "\(path) wasn't read")
            }
            return Reading(
                batch: batch, isComplete: isComplete, status: DeviceStatus(device, head), head: head
            )
        }
    }

    /// Returns a backing for the Core Data file of the original Datastore.
    ///
    /// The contents of its journals are included. A changed file is read from scratch, because the
    /// order of its rows doesn't show which ones are new.
    ///
    /// - Throws: Nothing in practice, because the device name of its entries is valid.
    static func datastore(_ path: String) throws -> FileBacking {
        let device = try DeviceID("datastore")
        return FileBacking(
            path, refusal: "\(path) is a file of the original Datastore, which is read-only"
        ) { db, _ in
            let found = try DatastoreReader.read(db, device: device)
            var status = found.batch.status
            status.problem = found.problem
            return Reading(batch: found.batch, isComplete: true, status: status)
        }
    }

    func onEvent(_ receive: @escaping @Sendable (BackingEvent) -> Void) {
        state.withLock { $0.receive = receive }
    }

    private func notify(_ event: BackingEvent) { state.withLock { $0.receive }?(event) }

    func load() throws {
        state.withLock { ($0.stamp, $0.head) = (nil, nil) }
        try look()
    }

    /// - Throws: Nothing: rows that were read stay, and the status describes the problem.
    func sync() throws {
        do {
            try look()
        } catch {
            let problem = ReplicationError(reading: error)
            let (status, goes) = state.withLock { state in
                state.stamp = nil
                state.status?.note(problem)
                defer { state.isDeleted = problem.code == .notFound }
                return (state.status, problem.code == .notFound && !state.isDeleted)
            }
            if let status { notify(.device(status, isNotable: true)) }
            if goes { notify(.deleted) }
        }
    }

    private func look() throws {
        let (stamp, head) = state.withLock { ($0.stamp, $0.head) }
        let outcome = try ForeignDatabase.read(path, unless: stamp) { try read($0, head) }
        guard case .read(var reading, let stamp) = outcome else { return }
        reading.status.bytes = stamp.byteCount
        let isBack = state.withLock { state in
            (state.stamp, state.status, state.head) = (stamp, reading.status, reading.head)
            defer { state.isDeleted = false }
            return state.isDeleted
        }
        if isBack { notify(.returned) }
        if reading.isComplete {
            notify(.loaded([reading.batch], [reading.status]))
        } else {
            notify(.rows(reading.batch))
            notify(.device(reading.status, isNotable: true))
        }
    }

    func readAll() throws -> [EntityRowBatch] {
        [try ForeignDatabase.value(from: path) { try read($0, nil).batch }]
    }

    func append(
        _ operations: [EntityOperation], timestamp: Timestamp
    ) throws -> AppendedRows<EntityRowBatch> {
        throw EntityStoreError(.readOnly, refusal)
    }

    func close() {}
}
