import Replication
import Synchronization

/// Holds nothing: what a store in memory has is its merged rows.
final class MemoryBacking: EntityBacking {
    let ownDevice: DeviceID?
    private let device: DeviceID
    private let encoder = Mutex(RowEncoder())

    init(device: DeviceID) {
        ownDevice = device
        self.device = device
    }

    var isThere: Bool { true }

    func read() -> BackingRead { BackingRead() }

    func append(
        _ operations: [EntityOperation], timestamp: Timestamp
    ) throws -> BackingAppend {
        try encoder.withLock { encoder in
            let mark = encoder.mark
            do {
                let own = try encoder.encode(operations, device: device, timestamp: timestamp)
                return BackingAppend(own: own)
            } catch {
                encoder.rollBack(to: mark)
                throw error
            }
        }
    }

    func watch(_ wake: @escaping @Sendable () -> Void) {}

    func close() {}
}
