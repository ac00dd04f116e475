/// One of the two ends of a connection within a process.
public final class MemoryConnection: MessageConnection {
    /// The address, which is the same for all connections within the process.
    public let address = "memory"
    private let incoming: MessageQueue
    private let outgoing: MessageQueue

    private init(_ incoming: MessageQueue, _ outgoing: MessageQueue) {
        self.incoming = incoming
        self.outgoing = outgoing
    }

    /// Creates two connected ends.
    ///
    /// - Parameter capacity: The maximum number of queued messages in each direction.
    public static func pair(capacity: Int = 4) -> (MemoryConnection, MemoryConnection) {
        let (first, second) = (
            MessageQueue(capacity: capacity), MessageQueue(capacity: capacity)
        )
        return (MemoryConnection(first, second), MemoryConnection(second, first))
    }

    public func receive(limit: Int) async throws(SyncError) -> [UInt8]? {
        guard let message = try await incoming.take() else { return nil }
        guard message.count <= limit else {
            throw SyncError(
                .tooLarge, "a message has \(message.count) bytes; the limit is \(limit)")
        }
        return message
    }

    public func send(_ message: [UInt8]) async throws(SyncError) { try await outgoing.put(message) }

    public func close(_ last: [UInt8]?) {
        if let last { outgoing.offer(last) }
        outgoing.end()
        incoming.end(dropping: true)
    }

    /// Cuts the connection, like a network failure. Queued messages are lost.
    package func cut() {
        outgoing.end(dropping: true)
        incoming.end(dropping: true)
    }
}
