import Dispatch

/// Who wants to be told of something; told one after another, in the order of what happened.
final class FollowerList<Event: Sendable>: Sendable {
    private struct State {
        var next: UInt64 = 0
        var followers: [UInt64: @Sendable (Event) -> Void] = [:]
    }
    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.followers.isEmpty } }

    func add(_ follower: @escaping @Sendable (Event) -> Void) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.followers[state.next] = follower
            return state.next
        }
    }

    func remove(_ number: UInt64) {
        state.withLock { _ = $0.followers.removeValue(forKey: number) }
    }

    func tell(_ event: Event) {
        let followers = state.withLock { $0.followers.sorted { $0.key < $1.key }.map(\.value) }
        for follower in followers { follower(event) }
    }
}
