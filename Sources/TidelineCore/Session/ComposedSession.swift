import Foundation
public import Replication
import Synchronization

/// A session over the parts of a store.
public final class ComposedSession: StoreSession {
    public let path: String
    private let parts: [any SessionPart]
    private let state: Mutex<State>

    private struct State {
        var isWritable: Bool
        var subscribers: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
        var nextSubscriber = 0
        /// What happened before anybody listened; `nil` once somebody has.
        var early: [SessionEvent]? = []
    }

    /// As many events are kept for the first who listens.
    private static let earlyLimit = 100

    /// Begins to load every part; returns at once.
    public init(path: String, parts: [any SessionPart], isWritable: Bool) {
        self.path = path
        self.parts = parts
        state = Mutex(State(isWritable: isWritable))
        for part in parts {
            part.setWritable(isWritable)
            part.start { [weak self] in self?.emit($0) }
        }
    }

    public var panes: [Pane] { parts.flatMap(\.panes) }

    public var status: SessionStatus {
        var status = SessionStatus(phase: .live, isWritable: state.withLock { $0.isWritable })
        for part in parts { part.contribute(to: &status) }
        return status
    }

    public func events() -> AsyncStream<SessionEvent> {
        // A reader that stopped reading must not fill the memory; a lost event is made good by
        // asking for the window again.
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self, bufferingPolicy: .bufferingNewest(10_000))
        let number = state.withLock { state in
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            for event in state.early ?? [] { continuation.yield(event) }
            state.early = nil
            return state.nextSubscriber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
        }
        return stream
    }

    private func emit(_ event: SessionEvent) {
        let subscribers = state.withLock { state in
            if let early = state.early, early.count < Self.earlyLimit { state.early?.append(event) }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.yield(event) }
    }

    public func reload() async {
        for part in parts { await part.reload() }
    }

    public func setWritable(_ isWritable: Bool) {
        state.withLock { $0.isWritable = isWritable }
        for part in parts { part.setWritable(isWritable) }
        emit(SessionEvent(.status, date: Date()))
    }

    /// The timeline of the first part that has a past.
    public func timeline(buckets: Int) async throws -> Timeline {
        for part in parts {
            if let timeline = try await part.timeline(buckets: buckets) { return timeline }
        }
        throw CoreError(.noAnswer, "nothing here has a past")
    }

    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    {
        var nearest: Timestamp?
        for part in parts {
            guard
                let candidate = try await part.step(
                    from: instant, backwards: backwards, device: device)
            else { continue }
            nearest =
                nearest.map { backwards ? max($0, candidate) : min($0, candidate) } ?? candidate
        }
        return nearest
    }

    public func withdraw() async throws -> [String] {
        var subjects: [String] = []
        for part in parts { subjects += try await part.withdraw() }
        return subjects
    }

    public func close() async {
        for part in parts { await part.close() }
        let subscribers = state.withLock { state in
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}
