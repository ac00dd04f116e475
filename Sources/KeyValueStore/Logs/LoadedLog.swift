import Synchronization

/// The content of one log by key: its device's newest row and that row's causal parents.
///
/// The content is collected while a file is read, and discarded if the file changed during the
/// read. After the read, the rows are added to the cache.
struct LoadedLog: ~Copyable {
    struct Newest: BitwiseCopyable {
        var timestamp: Int64
        var id: Int64
        /// The range of the row's causes in `causes`.
        var firstCause: Int
        var causeCount: Int
    }

    /// A field that makes the compiler pass logs by address, as in ``LogsCache``.
    private let inPlace = Atomic(false)

    /// The keys; their numbers are indices into `newest`.
    var keys = KeyTable()
    var newest = GrowingBuffer<Newest>()
    /// In a tideline-2 log, the causal parents by the log's own numbers of writers. In a PARStore 1
    /// log, the timestamps of parents that are not rows of the device itself (the writer is 0).
    var causes = GrowingBuffer<CauseList.Cause>()
    /// The keys whose rows are not a chain.
    var forked: [UInt32] = []
    /// In a PARStore 1 log, the times of all rows; otherwise empty.
    var times = RowTimes()

    /// Records a row of a key. Of two rows with the same time, the later one is the newest.
    @inline(__always)
    mutating func note(_ id: Int64, _ timestamp: Int64, of index: UInt32, isNew: Bool) {
        if isNew {
            newest.append(Newest(timestamp: timestamp, id: id, firstCause: 0, causeCount: 0))
        } else if newest[Int(index)].timestamp <= timestamp {
            newest[Int(index)].timestamp = timestamp
            newest[Int(index)].id = id
        }
    }
}
