import Foundation
import Synchronization

/// Hands each event to every subscriber, in one order.
final class EventHub: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<KeyValueStore.Event>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let count = Atomic<Int>(0)

    /// Whether anybody listens; events that nobody sees need not be put together.
    var isHeard: Bool { count.load(ordering: .relaxed) > 0 }

    func subscribe() -> AsyncStream<KeyValueStore.Event> {
        let (stream, continuation) = AsyncStream<KeyValueStore.Event>.makeStream(
            bufferingPolicy: .unbounded)
        let number = state.withLock { state in
            state.next += 1
            state.continuations[state.next] = continuation
            count.store(state.continuations.count, ordering: .relaxed)
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.drop(number) }
        return stream
    }

    private func drop(_ number: Int) {
        _ = state.withLock { state in
            let dropped = state.continuations.removeValue(forKey: number)
            count.store(state.continuations.count, ordering: .relaxed)
            return dropped
        }
    }

    func post(_ kind: KeyValueStore.Event.Kind, at date: Date) {
        guard isHeard else { return }
        let event = KeyValueStore.Event(date: date, kind: kind)
        state.withLock { state in
            for continuation in state.continuations.values { continuation.yield(event) }
        }
    }

    /// Ends the sequences of all that listen now. Who comes later hears what is posted from then on.
    func finish() {
        let ended = state.withLock { state in
            defer {
                state.continuations = [:]
                count.store(0, ordering: .relaxed)
            }
            return Array(state.continuations.values)
        }
        for continuation in ended { continuation.finish() }
    }
}
