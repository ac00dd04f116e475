import Dispatch
import Replication

/// Where a store's rows come from and where they go to.
///
/// A store works on its merged rows in memory, whatever holds them. It calls a backing on the
/// backing's queue, and gets news there.
protocol EntityBacking: AnyObject, Sendable {
    /// Which device's rows are written here; `nil` where nothing can be written.
    var ownDevice: DeviceID? { get }
    /// The serial queue that a store works on.
    var queue: DispatchQueue { get }

    /// Says who takes the news; before ``load()``.
    func onNews(_ receive: @escaping @Sendable (BackingNews) -> Void)

    /// Reads everything, and tells of what comes from then on.
    ///
    /// The status of a device tells of trouble with it, which does not hide the others.
    ///
    /// - Throws: An error when there is nothing to read from at all.
    func load() throws

    /// Looks for what is new, now.
    func sync() throws

    /// Reads everything that can be read, without taking note of it.
    func readAll() throws -> [RowBatch]

    /// Writes operations as this device's rows, in one transaction that is on disk when this
    /// returns. Rows that another process of this device wrote before them are told as news first.
    func append(_ operations: [EntityOperation], timestamp: Timestamp) throws -> RowBatch

    /// Lets go of files until it is loaded again.
    func close()
}

/// What a backing tells its store.
enum BackingNews: Sendable {
    /// All rows there are; what was taken in before is to be forgotten.
    case loaded([RowBatch], [DeviceStatus])
    /// Rows that follow on those of their device.
    case rows(RowBatch)
    case device(DeviceStatus, isNotable: Bool)
    case deleted
    case returned
}

extension RowBatch {
    /// The status of a device of which these rows are all.
    func status(isOwn: Bool) -> DeviceStatus {
        var status = DeviceStatus(device, isOwn: isOwn)
        status.state = .ok
        status.rows = rows.count
        status.first = rows.lazy.map(\.timestamp).min().map(Timestamp.init(microseconds:))
        status.last = rows.lazy.map(\.timestamp).max().map(Timestamp.init(microseconds:))
        return status
    }
}
