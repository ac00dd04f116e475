/// One of two ends within a process.
public final class MemoryConnection: MessageConnection {
    public let address = "memory"
    private let incoming: MessageQueue
    private let outgoing: MessageQueue

    private init(_ incoming: MessageQueue, _ outgoing: MessageQueue) {
        self.incoming = incoming
        self.outgoing = outgoing
    }

    /// Two ends that are connected with each other.
    ///
    /// - Parameter capacity: How many messages may be under way in each direction.
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
                .tooLarge, "a message has \(message.count) bytes, and \(limit) are allowed")
        }
        return message
    }

    public func send(_ message: [UInt8]) async throws(SyncError) { try await outgoing.put(message) }

    public func close(_ last: [UInt8]?) {
        if let last { outgoing.offer(last) }
        outgoing.end()
        incoming.end(dropping: true)
    }

    /// Ends the connection as a broken line does: what is under way is lost.
    package func cut() {
        outgoing.end(dropping: true)
        incoming.end(dropping: true)
    }
}
