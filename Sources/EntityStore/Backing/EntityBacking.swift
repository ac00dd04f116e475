public import Replication

/// Where a store's rows come from and where they go to.
///
/// A store works on its merged rows in memory, whatever holds them. It calls a backing from one
/// thread at a time.
protocol EntityBacking: AnyObject, Sendable {
    /// Which device's rows are written here; `nil` where nothing can be written.
    var ownDevice: DeviceID? { get }

    /// Reads what has come since the last call; at first, everything.
    ///
    /// ``BackingRead/devices`` tells of trouble with one device, which does not hide the others.
    ///
    /// - Throws: An error when there is nothing to read from at all.
    func read() throws -> BackingRead

    /// Reads everything that can be read, without taking note of it.
    func readAll() throws -> [RowBatch]

    /// Writes operations as this device's rows, in one transaction that is on disk when this
    /// returns.
    ///
    /// - Returns: The rows, after any that another process of this device wrote before them.
    func append(_ operations: [EntityOperation], timestamp: Timestamp) throws -> BackingAppend

    /// Calls `wake` from now on whenever there may be something new to read, from any thread.
    func watch(_ wake: @escaping @Sendable () -> Void)

    /// Whether the file or package is still where it was.
    var isThere: Bool { get }

    /// Lets go of files. The backing is not used any more.
    func close()
}

/// New rows, in an order in which they can be taken in.
struct BackingRead: Sendable {
    /// Whether all that was read before is to be forgotten: a file was replaced by another.
    var isAnew = false
    var batches: [RowBatch] = []
    var devices: [EntityDeviceStatus] = []
    /// Whether the package is gone from its place.
    var isGone = false
}

/// What a write came to.
struct BackingAppend: Sendable {
    /// Rows of another process of this device, written since the last read.
    var others: RowBatch?
    var own: RowBatch
}

/// What is known of one device's file of entities.
public struct EntityDeviceStatus: Hashable, Sendable {
    /// How reading a device's file went.
    public enum State: String, Hashable, Sendable {
        /// All of it is read; a part is there and the rest is waited for; it cannot be read; there
        /// is none.
        case ok, incomplete, unreadable, absent
    }

    /// The device, by the name of its folder.
    public var device: DeviceID
    /// How reading its file went.
    public var state: State
    /// Why it is not `ok`.
    public var problem: String?
    /// How many rows of it were read.
    public var rowCount: Int
    /// When its newest row was written.
    public var newest: Timestamp?
    /// The size of its file in bytes.
    public var byteCount: Int64

    /// A status as a caller knows it; nothing is looked at.
    public init(
        device: DeviceID, state: State, problem: String? = nil, rowCount: Int = 0,
        newest: Timestamp? = nil, byteCount: Int64 = 0
    ) {
        self.device = device
        self.state = state
        self.problem = problem
        self.rowCount = rowCount
        self.newest = newest
        self.byteCount = byteCount
    }
}
