import Replication
import Synchronization

/// Keeps rows in memory only.
final class MemoryBacking: EntityBacking {
    let ownDevice: DeviceID?
    private let device: DeviceID
    private let state = Mutex(State())

    private struct State {
        var encoder = RowEncoder()
        var batches: [RowBatch] = []
    }

    init(device: DeviceID) {
        ownDevice = device
        self.device = device
    }

    var isThere: Bool { true }

    func read() -> BackingRead { BackingRead() }

    func readAll() -> [RowBatch] { state.withLock { $0.batches } }

    func append(
        _ operations: [EntityOperation], timestamp: Timestamp
    ) throws -> BackingAppend {
        try state.withLock { state in
            let mark = state.encoder.mark
            do {
                let own = try state.encoder.encode(
                    operations, device: device, timestamp: timestamp)
                state.batches.append(own)
                return BackingAppend(own: own)
            } catch {
                state.encoder.rollBack(to: mark)
                throw error
            }
        }
    }

    func watch(_ wake: @escaping @Sendable () -> Void) {}

    func close() {}
}
