import Synchronization

/// Hands what happens in a store to everybody who listens, in one order.
///
/// A listener that does not read on lets its events pile up; none is lost, unless the hub is told
/// how many may wait.
///
/// Handing over wakes a listener's task, and a task that is being cancelled holds locks of its own
/// meanwhile: so nothing is handed over under a lock that whoever is cancelled may want. Who has
/// something to tell under such a lock takes note of it there, and hands it over once it is released.
public final class EventHub<Event: Sendable>: Sendable {
    private typealias Listener = AsyncStream<Event>.Continuation

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        /// What is to be handed over, with those who listened when it happened; `nil` for the end.
        var waiting: [(event: Event?, listeners: [Listener])] = []
        var isDelivering = false
        var isClosed = false
    }

    private let buffering: Listener.BufferingPolicy
    private let state = Mutex(State())
    private let count = Atomic<Int>(0)
    private let hasWaiting = Atomic<Bool>(false)

    /// A hub that nobody listens to yet.
    ///
    /// - Parameter limit: How many events wait for one that does not read on: of more, the newest.
    public init(keeping limit: Int = .max) {
        buffering = limit == .max ? .unbounded : .bufferingNewest(limit)
    }

    deinit { finish() }

    /// Whether anybody listens; events that nobody sees need not be put together.
    public var isHeard: Bool { count.load(ordering: .relaxed) > 0 }

    /// What is posted from now on. It ends with ``finish()``, ``close()`` or with the hub.
    public func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: buffering)
        let number = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.next += 1
            state.listeners[state.next] = continuation
            count.store(state.listeners.count, ordering: .relaxed)
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
            let dropped = state.listeners.removeValue(forKey: number)
            count.store(state.listeners.count, ordering: .relaxed)
            return dropped
        }
    }

    /// Hands an event to all who listen now.
    ///
    /// - Complexity: O(*n*) in the number of listeners.
    public func post(_ event: @autoclosure () -> Event) {
        note(event())
        deliver()
    }

    /// Takes note of an event for all who listen now: under a lock that nobody may be woken under.
    /// ``deliver()`` must follow once it is released.
    ///
    /// - Complexity: O(*n*) in the number of listeners.
    public func note(_ event: @autoclosure () -> Event) {
        guard isHeard else { return }
        let event = event()
        state.withLock { state in
            state.waiting.append((event, Array(state.listeners.values)))
            hasWaiting.store(true, ordering: .relaxed)
        }
    }

    /// Hands over what was noted, in its order. What another thread is handing over already, that
    /// one hands over to the end.
    public func deliver() {
        guard hasWaiting.load(ordering: .relaxed) else { return }
        var isFirst = true
        while let events = take(isFirst: isFirst) {
            isFirst = false
            for (event, listeners) in events {
                for listener in listeners {
                    if let event { listener.yield(event) } else { listener.finish() }
                }
            }
        }
    }

    /// - Parameter isFirst: Whether the caller has not taken any yet.
    /// - Returns: `nil` where nothing waits, or another thread sees to it.
    private func take(isFirst: Bool) -> [(event: Event?, listeners: [Listener])]? {
        state.withLock { state in
            if isFirst, state.isDelivering { return nil }
            state.isDelivering = !state.waiting.isEmpty
            hasWaiting.store(false, ordering: .relaxed)
            defer { state.waiting = [] }
            return state.isDelivering ? state.waiting : nil
        }
    }

    /// Ends the sequences of all who listen now. Who comes later hears what is posted from then on.
    public func finish() {
        state.withLock { state in
            guard !state.listeners.isEmpty else { return }
            state.waiting.append((nil, Array(state.listeners.values)))
            state.listeners = [:]
            count.store(0, ordering: .relaxed)
            hasWaiting.store(true, ordering: .relaxed)
        }
        deliver()
    }

    /// Ends the sequences of all who listen now, and at once those of all who come later.
    public func close() {
        state.withLock { $0.isClosed = true }
        finish()
    }
}
