import Foundation
import Synchronization

/// Hands each event to every subscriber, in one order.
final class EventHub: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<KeyValueStore.Event>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let count = Atomic<Int>(0)

    /// Whether anybody listens; events that nobody sees need not be put together.
    var isHeard: Bool { count.load(ordering: .relaxed) > 0 }

    func subscribe() -> AsyncStream<KeyValueStore.Event> {
        let (stream, continuation) = AsyncStream<KeyValueStore.Event>.makeStream(
            bufferingPolicy: .unbounded)
        let number: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.next += 1
            state.continuations[state.next] = continuation
            count.store(state.continuations.count, ordering: .relaxed)
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
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

    func finish() {
        let ended = state.withLock { state in
            state.isFinished = true
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in ended { continuation.finish() }
    }
}
