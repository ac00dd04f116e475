/// An open store of any kind: its panes, its devices and its events.
///
/// The screen accesses an open store only through this protocol. Opening returns at once. Rows
/// appear as they are read, and the event ``SessionEvent/Kind/loaded`` reports the end of loading.
public protocol StoreSession: SessionOperations {
    /// The path of the store, with symbolic links resolved.
    var path: String { get }
    /// The top-level lists, in pane order. Lists of data that the store doesn't have are left out.
    var panes: [Pane] { get }
    /// The status of the store and its devices. Reading it is cheap and never waits for a file.
    var status: SessionStatus { get }
    /// Returns the events from now on. Each call creates a subscription. The first subscription
    /// also receives the events since the store was opened.
    func events() -> AsyncStream<SessionEvent>
    /// Returns the reason why the store's files can't be written, such as a read-only file system,
    /// as a clause; `nil` if no such reason is known. Reads the file system, but never writes.
    func writeObstacle() -> String?
    /// Returns the times of all writes, reduced to a number of buckets per device.
    ///
    /// - Throws: ``CoreError`` with code `.noAnswer` if the store has no history; errors from
    ///   reading.
    func timeline(buckets: Int) async throws -> Timeline
}
