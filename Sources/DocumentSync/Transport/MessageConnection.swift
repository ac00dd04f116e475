/// A connection that transfers whole messages between two peers, in order.
public protocol MessageConnection: Sendable {
    /// The address of the other side, for display.
    var address: String { get }

    /// Waits for the next message. Only one task at a time may call this method.
    ///
    /// - Parameter limit: The maximum size of the message in bytes.
    /// - Returns: The message, or `nil` if the other side ended the connection.
    /// - Throws: `SyncError` if the message is too large or the connection failed.
    func receive(limit: Int) async throws(SyncError) -> [UInt8]?

    /// Sends a message, and returns when there is room for another.
    ///
    /// - Throws: `SyncError` if the connection has ended.
    func send(_ message: [UInt8]) async throws(SyncError)

    /// Ends the connection now or soon, and wakes waiting callers. Repeated calls do nothing.
    ///
    /// - Parameter last: A last message to send, if the other side accepts it without delay.
    func close(_ last: [UInt8]?)
}

/// A type that creates the connections of a client, one after another.
public protocol MessageConnector: Sendable {
    /// The address of the server, for display.
    var address: String { get }

    /// Connects to the server.
    ///
    /// - Throws: `SyncError` if connecting fails.
    func connect() async throws(SyncError) -> any MessageConnection
}
