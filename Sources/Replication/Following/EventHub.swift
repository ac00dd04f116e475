import Synchronization

/// Hands what happens in a store to everybody who listens, in one order.
///
/// A listener that does not read on lets its events pile up; none is lost.
public final class EventHub<Event: Sendable>: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let count = Atomic<Int>(0)

    /// A hub that nobody listens to yet.
    public init() {}

    deinit { finish() }

    /// Whether anybody listens; events that nobody sees need not be put together.
    public var isHeard: Bool { count.load(ordering: .relaxed) > 0 }

    /// What is posted from now on. It ends with ``finish()`` or with the hub.
    public func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .unbounded)
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

    /// Hands an event to all who listen now.
    ///
    /// - Complexity: O(*n*) in the number of listeners.
    public func post(_ event: @autoclosure () -> Event) {
        guard isHeard else { return }
        let event = event()
        state.withLock { state in
            for continuation in state.continuations.values { continuation.yield(event) }
        }
    }

    /// Ends the sequences of all who listen now. Who comes later hears what is posted from then on.
    public func finish() {
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
