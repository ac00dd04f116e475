import Dispatch
import Replication

/// The source and destination of a store's rows.
///
/// A store works with merged rows in memory, regardless of where they are stored. The store calls a
/// backing on the backing's queue, and receives events on that queue.
protocol EntityBacking: AnyObject, Sendable {
    /// The device whose rows are written; `nil` if the backing is read-only.
    var ownDevice: DeviceID? { get }
    /// The serial queue that the store works on.
    var queue: DispatchQueue { get }

    /// Sets the receiver of events. Call this before ``load()``.
    func onEvent(_ receive: @escaping @Sendable (BackingEvent) -> Void)

    /// Reads everything and then reports new rows.
    ///
    /// Problems with one device appear in its status and don't affect the others.
    ///
    /// - Throws: An error if there is nothing to read from.
    func load() throws

    /// Checks for new rows now.
    func sync() throws

    /// Returns all readable rows, without changing which rows count as new.
    func readAll() throws -> [EntityRowBatch]

    /// Writes operations as this device's rows in one transaction. The rows are on disk when this
    /// method returns. If the disk didn't confirm them, the result has the reason. Rows that
    /// another process of this device wrote earlier are reported as events first.
    func append(
        _ operations: [EntityOperation], timestamp: Timestamp
    ) throws -> AppendedRows<EntityRowBatch>

    /// Closes files until the next load.
    func close()
}

/// An event that a backing reports to its store.
enum BackingEvent: Sendable {
    /// All rows. Rows that were ingested before are obsolete.
    case loaded([EntityRowBatch], [DeviceStatus])
    /// New rows, which follow the known rows of their device.
    case rows(EntityRowBatch)
    case device(DeviceStatus, isNotable: Bool)
    case deleted
    case returned
}

extension EntityRowBatch {
    /// The status of a device that has exactly these rows and isn't written.
    var status: DeviceStatus {
        var status = DeviceStatus(device, isOwn: false)
        status.state = .ok
        status.rows = rows.count
        status.first = rows.lazy.map(\.timestamp).min().map(Timestamp.init(microseconds:))
        status.last = rows.lazy.map(\.timestamp).max().map(Timestamp.init(microseconds:))
        return status
    }
}
