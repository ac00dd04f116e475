import Synchronization

/// A hub that sends store events to all subscribers, in order.
///
/// Events for a subscriber that doesn't read are buffered. If the hub has no buffer limit, no event
/// is lost.
///
/// Delivering an event resumes the subscriber's task. Resuming takes an internal lock of the task,
/// and a task that is being canceled holds this lock. Events must therefore not be delivered under
/// a lock that a cancellation handler may need. Under such a lock, call ``note(_:)``, and call
/// ``deliver()`` after releasing it.
public final class EventHub<Event: Sendable>: Sendable {
    private typealias Listener = AsyncStream<Event>.Continuation

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        /// The events to deliver, with the subscribers at the time of each; `nil` for the end.
        var waiting: [(event: Event?, listeners: [Listener])] = []
        var isDelivering = false
        var isClosed = false
    }

    private let buffering: Listener.BufferingPolicy
    private let state = Mutex(State())
    private let count = Atomic<Int>(0)
    private let hasWaiting = Atomic<Bool>(false)

    /// Creates a hub without subscribers.
    ///
    /// - Parameter limit: The number of events to buffer per subscriber. The newest are kept.
    public init(keeping limit: Int = .max) {
        buffering = limit == .max ? .unbounded : .bufferingNewest(limit)
    }

    deinit { finish() }

    /// Whether there are subscribers. Without subscribers, events need not be created.
    public var isHeard: Bool { count.load(ordering: .relaxed) > 0 }

    /// Returns a sequence of all later events. It ends when ``finish()`` or ``close()`` is called,
    /// or when the hub is deallocated.
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

    /// Sends an event to all current subscribers.
    ///
    /// - Complexity: O(*n*) in the number of subscribers.
    public func post(_ event: @autoclosure () -> Event) {
        note(event())
        deliver()
    }

    /// Queues an event for all current subscribers. For callers that hold a lock under which no
    /// task may be resumed. Call ``deliver()`` after releasing the lock.
    ///
    /// - Complexity: O(*n*) in the number of subscribers.
    public func note(_ event: @autoclosure () -> Event) {
        guard isHeard else { return }
        let event = event()
        state.withLock { state in
            state.waiting.append((event, Array(state.listeners.values)))
            hasWaiting.store(true, ordering: .relaxed)
        }
    }

    /// Delivers the queued events in order. If another thread is already delivering, that thread
    /// delivers them.
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

    /// Takes the queued events.
    ///
    /// - Parameter isFirst: Whether this is the caller's first call.
    /// - Returns: `nil` if no events are queued, or if another thread is delivering.
    private func take(isFirst: Bool) -> [(event: Event?, listeners: [Listener])]? {
        state.withLock { state in
            if isFirst, state.isDelivering { return nil }
            state.isDelivering = !state.waiting.isEmpty
            hasWaiting.store(false, ordering: .relaxed)
            defer { state.waiting = [] }
            return state.isDelivering ? state.waiting : nil
        }
    }

    /// Ends the sequences of all current subscribers. Later subscribers receive the events posted
    /// from then on.
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

    /// Ends the sequences of all current subscribers. The sequences of later subscribers end
    /// immediately.
    public func close() {
        state.withLock { $0.isClosed = true }
        finish()
    }
}
