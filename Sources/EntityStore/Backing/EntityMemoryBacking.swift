import Dispatch
import Replication
import Synchronization

/// A backing that keeps rows in memory only.
final class EntityMemoryBacking: EntityBacking {
    let ownDevice: DeviceID?
    let queue = DispatchQueue(label: "Tideline.memory", qos: .userInitiated)
    private let state: Mutex<State>

    private struct State {
        var encoder = RowEncoder()
        var batches: [EntityRowBatch]
        var status: DeviceStatus?
        var receive: (@Sendable (BackingEvent) -> Void)?
    }

    /// Creates an empty backing that writes as `device`.
    init(device: DeviceID) {
        ownDevice = device
        state = Mutex(State(batches: [], status: DeviceStatus(device, isOwn: true)))
    }

    /// Creates a read-only backing with these rows.
    init(past batches: [EntityRowBatch]) {
        ownDevice = nil
        state = Mutex(State(batches: batches))
    }

    func onEvent(_ receive: @escaping @Sendable (BackingEvent) -> Void) {
        state.withLock { $0.receive = receive }
    }

    func load() throws {
        guard ownDevice == nil else { return }
        let (batches, receive) = state.withLock { ($0.batches, $0.receive) }
        receive?(.loaded(batches, batches.map(\.status)))
    }

    func sync() {}

    func readAll() -> [EntityRowBatch] { state.withLock { $0.batches } }

    func append(
        _ operations: [EntityOperation], timestamp: Timestamp
    ) throws -> AppendedRows<EntityRowBatch> {
        guard let ownDevice else {
            throw EntityStoreError(.readOnly, "a past state is read-only")
        }
        let (own, status, receive) = try state.withLock { state in
            let mark = state.encoder.mark
            do {
                let own = try state.encoder.encode(
                    operations, device: ownDevice, timestamp: timestamp)
                state.batches.append(own)
                state.status?.state = .ok
                state.status?.rows += own.rows.count
                state.status?.last = timestamp
                return (own, state.status, state.receive)
            } catch {
                state.encoder.rollBack(to: mark)
                throw error
            }
        }
        if let status { receive?(.device(status, isNotable: status.rows == own.rows.count)) }
        return AppendedRows(written: own)
    }

    func close() {}
}
