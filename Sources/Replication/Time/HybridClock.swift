public import Foundation
import Synchronization

/// Gives timestamps that never run back (data rule 7), whatever the wall clock does.
///
/// A timestamp is the wall clock's, unless that is not later than all that must precede it: then
/// it is the least one that is later. So a write made after seeing a value always beats it.
public final class HybridClock: Sendable {
    /// A foreign timestamp further ahead of the wall clock than this is a clock problem to show.
    public static let tolerance: Duration = .seconds(86_400)

    private let wall: @Sendable () -> Timestamp
    private let last = Mutex(Timestamp.distantPast)

    /// - Parameter wall: The wall clock; tests pass their own.
    public init(wall: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }) {
        self.wall = wall
    }

    /// The wall clock, which may run back.
    public var now: Timestamp { wall() }

    /// A timestamp later than `seen` and than each one given before.
    public func tick(after seen: Timestamp = .distantPast) -> Timestamp {
        last.withLock { last in
            last = max(wall(), max(seen, last).successor)
            return last
        }
    }

    /// Makes the following timestamps later than `seen`: what this device's own log ended with.
    public func observe(_ seen: Timestamp) {
        last.withLock { $0 = max($0, seen) }
    }

    /// Whether `timestamp` lies so far ahead that its writer's clock must be wrong.
    public func isImplausible(_ timestamp: Timestamp) -> Bool {
        let (limit, overflow) = wall().microseconds.addingReportingOverflow(
            Self.tolerance.components.seconds * 1_000_000)
        return !overflow && timestamp.microseconds > limit
    }
}
