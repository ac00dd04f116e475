public import Replication
import Synchronization

/// A wall clock that stands still until a test moves it.
public final class TestClock: Sendable {
    private let current: Mutex<Timestamp>

    public init(_ start: Timestamp = Timestamp(microseconds: 800_000_000_000_000)) {
        current = Mutex(start)
    }

    public var now: Timestamp { current.withLock { $0 } }

    /// A new hybrid clock on this wall clock.
    public var hybrid: HybridClock { HybridClock { self.now } }

    public func advance(microseconds: Int64) {
        current.withLock { $0 = Timestamp(microseconds: $0.microseconds &+ microseconds) }
    }

    public func set(_ timestamp: Timestamp) { current.withLock { $0 = timestamp } }
}
