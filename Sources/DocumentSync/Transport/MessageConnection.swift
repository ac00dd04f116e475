/// A way by which two peers send each other whole messages, in order.
public protocol MessageConnection: Sendable {
    /// Where the other side is, for a person to read.
    var address: String { get }

    /// Waits for the next message. One caller at a time.
    ///
    /// - Parameter limit: How many bytes it may have.
    /// - Returns: `nil` once the other side has ended the connection.
    /// - Throws: `SyncError`: a message beyond the limit, or a connection that broke.
    func receive(limit: Int) async throws(SyncError) -> [UInt8]?

    /// Sends a message; returns once there is room for another.
    ///
    /// - Throws: `SyncError` where the connection has ended.
    func send(_ message: [UInt8]) async throws(SyncError)

    /// Ends the connection, now or soon: whoever waits for it is woken. Calling it again does
    /// nothing.
    ///
    /// - Parameter last: A message to send before that, if the other side takes it without delay.
    func close(_ last: [UInt8]?)
}

/// How a client gets its connections, one after another.
public protocol MessageConnector: Sendable {
    /// What it connects to, for a person to read.
    var address: String { get }

    /// Makes a connection.
    ///
    /// - Throws: `SyncError`.
    func connect() async throws(SyncError) -> any MessageConnection
}
