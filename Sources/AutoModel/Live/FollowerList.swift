/// A list of subscribers, which receive events in order, one subscriber after another.
final class FollowerList<Event: Sendable>: Sendable {
    private struct Follower {
        let notify: @Sendable (Event) -> Void
        let end: @Sendable () -> Void
    }
    private struct State {
        var next: UInt64 = 0
        var followers: [UInt64: Follower] = [:]
        var isEnded = false

        var inOrder: [Follower] { followers.sorted { $0.key < $1.key }.map(\.value) }
    }
    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.followers.isEmpty } }
    /// Whether the list has ended and sends no more events.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Adds a subscriber and returns its number.
    ///
    /// - Parameter end: Called when the list ends, or at once if it has already ended.
    func add(
        _ follower: @escaping @Sendable (Event) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) -> UInt64 {
        let (number, isEnded) = state.withLock { state in
            state.next += 1
            if !state.isEnded {
                state.followers[state.next] = Follower(notify: follower, end: end)
            }
            return (state.next, state.isEnded)
        }
        if isEnded { end() }
        return number
    }

    func remove(_ number: UInt64) {
        state.withLock { _ = $0.followers.removeValue(forKey: number) }
    }

    func notify(_ event: Event) {
        for follower in state.withLock(\.inOrder) { follower.notify(event) }
    }

    /// Ends the list and notifies all subscribers.
    func end() {
        let left = state.withLock { state in
            defer { state.followers = [:] }
            state.isEnded = true
            return state.inOrder
        }
        for follower in left { follower.end() }
    }
}
