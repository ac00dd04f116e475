public import Replication

/// An open store of any kind: its panes, its devices and its events.
///
/// Commands and the screen depend only on this protocol. Opening returns at once; rows appear as
/// they are read, announced by ``SessionEvent/Kind/loaded``.
public protocol StoreSession: AnyObject, Sendable {
    /// The path of the store, with symbolic links resolved.
    var path: String { get }
    /// The top-level lists, in pane order. Lists of data that the store doesn't have are left out.
    var panes: [Pane] { get }
    /// The status of the store and its devices. Cheap; never waits for a file.
    var status: SessionStatus { get }
    /// Returns the events from now on. Each call creates a subscription. The first also receives
    /// the events since the store was opened.
    func events() -> AsyncStream<SessionEvent>
    /// Reads changes now.
    ///
    /// - Throws: Errors from reading.
    func reload() async throws
    /// Locks or unlocks writing. The initial state depends on how the session was opened.
    func setWritable(_ isWritable: Bool)
    /// Why the store's files can't be written, such as a read-only file system, as a clause; `nil`
    /// if nothing is known to prevent it. Looks at the file system, but never writes.
    func writeObstacle() -> String?
    /// Returns the times of all writes, reduced to `buckets` per device.
    ///
    /// - Throws: ``CoreError``, `.noAnswer`, if the store has no history; errors from reading.
    func timeline(buckets: Int) async throws -> Timeline
    /// Returns the nearest instant after (or before) `instant` with a write by `device`, or by any
    /// device.
    ///
    /// - Throws: Errors from reading.
    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    /// Returns the writes of `device`, or of any device, at an instant. A long list is truncated.
    /// Returns nothing if the writes aren't known.
    ///
    /// - Throws: Errors from reading.
    func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite]
    /// Withdraws the changes that aren't saved yet; see ``SessionStatus/unsaved``.
    ///
    /// - Returns: The changed items, for example keys.
    /// - Throws: Errors from reloading the store.
    func withdraw() async throws -> [String]
    /// Saves pending changes and closes every file. Changes that could not be saved are lost;
    /// ``SessionStatus/unsaved`` lists them.
    func close() async
}

extension StoreSession {
    /// Returns `nil`: nothing is known.
    public func writeObstacle() -> String? { nil }

    /// Returns nothing: the session doesn't record writes.
    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] { [] }
    /// Returns nothing: all writes are on disk at once.
    public func withdraw() async throws -> [String] { [] }
}
