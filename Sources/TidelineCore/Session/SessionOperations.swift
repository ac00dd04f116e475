public import Replication

/// The operations of a session, and of each of its parts. Unless documented otherwise, methods
/// throw errors from reading the store.
public protocol SessionOperations: AnyObject, Sendable {
    /// Reads changes now.
    func reload() async throws
    /// Locks or unlocks writing. The initial state depends on how the session was opened.
    func setWritable(_ isWritable: Bool)
    /// Sets whether history is read to fill ``SessionEvent/parts``. The initial state is `false`.
    func setReadsParts(_ readsParts: Bool)
    /// Returns the nearest instant with a write; `nil` if no such write exists.
    ///
    /// - Parameters:
    ///   - backwards: Whether to search for an earlier write.
    ///   - device: The device whose writes to find; `nil` for any device.
    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    /// Returns the writes at an instant. A long list is truncated. Returns an empty array if the
    /// writes aren't known.
    ///
    /// - Parameter device: The device whose writes to return; `nil` for any device.
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

extension SessionOperations {
    /// Does nothing, because ``SessionEvent/parts`` isn't filled from history.
    public func setReadsParts(_ readsParts: Bool) {}
    /// Returns an empty array, because writes aren't recorded.
    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] { [] }
    /// Returns an empty array, because all writes are on disk at once.
    public func withdraw() async throws -> [String] { [] }
}
