public import Foundation
import Synchronization

/// A clock whose timestamps never go back (data rule 7), regardless of the wall clock.
///
/// A timestamp is the time of the wall clock, or the next instant after the newest earlier
/// timestamp, whichever is later. A write made after seeing a value therefore always wins over it.
///
/// A time seen in other rows moves the clock by one day at most (``tolerance``). If a row has to
/// follow a time that is further ahead, the row gets the next instant after that time, and the
/// clock doesn't move. So a device with a wrong clock affects only the times of the keys that it
/// wrote, not the times of other keys.
public final class HybridClock: Sendable {
    /// The maximum time by which a timestamp may be ahead of the wall clock. Timestamps further
    /// ahead are reported as a clock problem.
    public static let tolerance: Duration = .seconds(86_400)

    private let wall: @Sendable () -> Timestamp
    private let last = Mutex(Timestamp.distantPast)

    /// Creates a clock.
    ///
    /// - Parameter wall: The wall clock. Tests pass their own.
    public init(wall: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }) {
        self.wall = wall
    }

    /// The time of the wall clock, which may go back.
    public var now: Timestamp { wall() }

    /// Returns a timestamp later than `seen`.
    ///
    /// The result is also later than all timestamps returned before, except those that had to
    /// follow a `seen` time far ahead of this device's clock. After the last instant that rows can
    /// have (``Timestamp/latest``), the same instant is returned repeatedly. Stores then decide by
    /// causal parents (``Timestamp/lastDay``).
    ///
    /// - Throws: ``ReplicationError``, `.timeOutOfRange`, if this device's clock is outside the
    ///   years that rows can have (``Timestamp/isRecordable``). A seen time never causes an error.
    public func tick(
        after seen: Timestamp = .distantPast
    ) throws(ReplicationError) -> Timestamp {
        try last.withLock { last throws(ReplicationError) in
            let now = wall()
            let next = last < .latest ? max(now, last.successor) : now
            guard next.isRecordable else {
                throw ReplicationError(
                    .timeOutOfRange,
                    "this device's clock is at \(next.iso8601), outside the years 1 to 9999")
            }
            let given = max(next, min(seen.successor, .latest))
            last = given <= Self.limit(at: now) ? given : next
            return given
        }
    }

    /// Makes later timestamps follow `seen`, the newest time in this device's own log. A time too
    /// far ahead is ignored.
    public func observe(_ seen: Timestamp) {
        guard seen.isRecordable, !isImplausible(seen) else { return }
        last.withLock { $0 = max($0, seen) }
    }

    /// Returns the latest plausible time of another clock when this device's clock shows `time`.
    /// The result is one day after `time`.
    public static func limit(at time: Timestamp) -> Timestamp {
        let (limit, overflow) = time.microseconds.addingReportingOverflow(
            tolerance.components.seconds * 1_000_000)
        return overflow ? .distantFuture : Timestamp(microseconds: limit)
    }

    /// Returns whether `timestamp` is so far ahead that its writer's clock must be wrong.
    public func isImplausible(_ timestamp: Timestamp) -> Bool {
        timestamp > Self.limit(at: wall())
    }
}
