import Synchronization

/// Hands each event to every reader, in one order.
final class EventHub: Sendable {
    private struct State {
        var readers: [Int: SyncEvents.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    /// How many events wait for a reader that does not keep up; each may hold an ephemeral
    /// message's data.
    private static let waiting = 1_024

    private let state = Mutex(State())

    func subscribe() -> SyncEvents {
        let (stream, continuation) = SyncEvents.makeStream(
            bufferingPolicy: .bufferingNewest(Self.waiting))
        let number = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.next += 1
            state.readers[state.next] = continuation
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        return stream
    }

    func post(_ kind: SyncEvent.Kind) {
        let event = SyncEvent(kind)
        // Outside of the lock: waking a reader takes a lock of its task, which its cancellation
        // holds while it ends the subscription.
        let readers = state.withLock { Array($0.readers.values) }
        for reader in readers { reader.yield(event) }
    }

    /// Ends the sequences of all readers.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
