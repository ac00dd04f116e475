import Dispatch
import Replication

/// A backing for a package: follows every device's `Entities.db` and writes this device's.
final class EntityPackageBacking: EntityBacking {
    let ownDevice: DeviceID?
    private let follower: LogFollower<EntityLog>

    var queue: DispatchQueue { follower.queue }

    /// - Parameter device: The writing device; `nil` for reading only.
    init(
        _ package: StorePackage, device: DeviceID?,
        options: LogFollower<EntityLog>.Options = .init()
    ) {
        ownDevice = device
        follower = LogFollower(package, device: device, log: EntityLog(), options: options)
    }

    func onEvent(_ receive: @escaping @Sendable (BackingEvent) -> Void) {
        let (log, own) = (follower.log, ownDevice)
        follower.onEvent { event in
            switch event {
            case .loaded(let logs, _, let statuses):
                let batch = own.map { own in
                    logs.first { $0.device == own }?.batch ?? EntityRowBatch(device: own)
                }
                if let batch { log.observe(batch, isComplete: true) }
                receive(.loaded(logs.map { $0.batch }, statuses))
            case .rows(let rows):
                if rows.device == own, !rows.isBehindWrite {
                    log.observe(rows.batch, isComplete: false)
                }
                if !rows.batch.isEmpty { receive(.rows(rows.batch)) }
            case .device(let status, let isNotable):
                receive(.device(status, isNotable: isNotable))
            case .deleted: receive(.deleted)
            case .returned: receive(.returned)
            case .blobs: break
            }
        }
    }

    func load() throws { try follower.load() }

    func sync() throws { try follower.sync() }

    func readAll() throws -> [EntityRowBatch] {
        follower.log.readAll(try follower.package.devices()).whole.map { $0.batch }
    }

    func append(
        _ operations: [EntityOperation], timestamp: Timestamp
    ) throws -> AppendedRows<EntityRowBatch> {
        let own = try follower.append(
            EntityLog.Draft(operations: operations, timestamp: timestamp))
        follower.log.confirm()
        return own
    }

    func close() { follower.close() }
}
