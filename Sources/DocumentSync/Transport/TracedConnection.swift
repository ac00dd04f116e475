import Synchronization

/// A connection that reports its messages to an observer.
final class TracedConnection: MessageConnection {
    private struct State {
        /// The name of the other side; `nil` until it has joined.
        var peer: PeerID?
        var isClosed = false
    }

    private let connection: any MessageConnection
    private let ownID: PeerID
    private let trace: DocumentExchange.MessageTrace
    private let state = Mutex(State())

    init(
        _ connection: any MessageConnection, as ownID: PeerID,
        _ trace: @escaping DocumentExchange.MessageTrace
    ) {
        self.connection = connection
        self.ownID = ownID
        self.trace = trace
    }

    var address: String { connection.address }

    func receive(limit: Int) async throws(SyncError) -> [UInt8]? {
        let message = try await connection.receive(limit: limit)
        if let message { report(message, .received) }
        return message
    }

    func send(_ message: [UInt8]) async throws(SyncError) {
        report(message, .sent)
        try await connection.send(message)
    }

    func close(_ last: [UInt8]?) {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst, let last { report(last, .sent) }
        connection.close(last)
    }

    private func report(_ message: [UInt8], _ direction: TracedMessage.Direction) {
        // The observer is called outside the lock, because it may be slow.
        let traced = state.withLock { state in
            TracedMessage(message, direction, over: connection, as: ownID, peer: &state.peer)
        }
        trace(traced)
    }
}
