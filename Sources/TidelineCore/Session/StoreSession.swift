public import Replication

/// An open store of any kind: its panes, its devices and its events.
///
/// Commands and the screen depend only on this protocol. Opening returns at once. Rows appear as
/// they are read, and the event ``SessionEvent/Kind/loaded`` reports them.
public protocol StoreSession: AnyObject, Sendable {
    /// The path of the store, with symbolic links resolved.
    var path: String { get }
    /// The top-level lists, in pane order. Lists of data that the store doesn't have are left out.
    var panes: [Pane] { get }
    /// The status of the store and its devices. Cheap; never waits for a file.
    var status: SessionStatus { get }
    /// Returns the events from now on. Each call creates a subscription. The first subscription
    /// also receives the events since the store was opened.
    func events() -> AsyncStream<SessionEvent>
    /// Reads changes now.
    ///
    /// - Throws: Errors from reading.
    func reload() async throws
    /// Locks or unlocks writing. The initial state depends on how the session was opened.
    func setWritable(_ isWritable: Bool)
    /// Sets whether history is read for the ``SessionEvent/parts`` of events. The initial state is
    /// `false`.
    func setReadsParts(_ readsParts: Bool)
    /// Returns the reason why the store's files can't be written, such as a read-only file system,
    /// as a clause; `nil` if no such reason is known. Reads the file system, but never writes.
    func writeObstacle() -> String?
    /// Returns the times of all writes, reduced to a number of buckets per device.
    ///
    /// - Parameter buckets: The number of buckets.
    /// - Throws: ``CoreError`` with code `.noAnswer` if the store has no history; errors from
    ///   reading.
    func timeline(buckets: Int) async throws -> Timeline
    /// Returns the nearest instant with a write; `nil` if no such write exists.
    ///
    /// - Parameters:
    ///   - instant: The instant to start from.
    ///   - backwards: Whether to search for an earlier write.
    ///   - device: The device whose writes to find; `nil` for any device.
    /// - Throws: Errors from reading.
    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    /// Returns the writes at an instant. A long list is truncated. Returns an empty array if the
    /// writes aren't known.
    ///
    /// - Parameters:
    ///   - instant: The instant.
    ///   - device: The device whose writes to return; `nil` for any device.
    /// - Throws: Errors from reading.
    func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite]
    /// Withdraws the changes that aren't saved yet; see ``SessionStatus/unsaved``.
    ///
    /// - Returns: The changed items, for example keys.
    /// - Throws: Errors from reloading the store.
    func withdraw() async throws -> [String]
    /// Saves pending changes and closes every file. Changes that couldn't be saved are lost;
    /// ``SessionStatus/unsaved`` lists them.
    func close() async
}

extension StoreSession {
    /// Does nothing, because no part is read from history.
    public func setReadsParts(_ readsParts: Bool) {}
    /// Returns `nil`, because no reason is known.
    public func writeObstacle() -> String? { nil }

    /// Returns an empty array, because the session doesn't record writes.
    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] { [] }
    /// Returns an empty array, because all writes are on disk at once.
    public func withdraw() async throws -> [String] { [] }
}
