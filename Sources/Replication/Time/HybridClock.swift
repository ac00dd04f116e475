public import Foundation
import Synchronization

/// Gives timestamps that never run back (data rule 7), whatever the wall clock does.
///
/// A timestamp is the wall clock's, unless an earlier one is as late: then it is the next instant
/// after that. So a write made after seeing a value always beats the value.
///
/// A time that was seen moves the clock by a day at most (``tolerance``). A row that has to follow a
/// time further ahead gets a time right behind that one, and the clock stays where it was: a device
/// whose clock is wrong affects the keys it wrote, and not the other writes of this device.
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

    /// Returns a timestamp later than `seen`.
    ///
    /// It is also later than the timestamps given before, except those that had to follow a time far
    /// ahead. After the last instant that rows can have (``Timestamp/latest``), there is only that
    /// instant again; stores decide by causes then (``Timestamp/lastDay``).
    ///
    /// - Throws: ``ReplicationError``, `.timeOutOfRange`, if this device's clock is outside the years
    ///   that rows can have (``Timestamp/isRecordable``). No time that was seen leads to an error.
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

    /// Makes later timestamps follow `seen`, the newest time of this device's own log. A time that
    /// is too far ahead is ignored.
    public func observe(_ seen: Timestamp) {
        guard seen.isRecordable, !isImplausible(seen) else { return }
        last.withLock { $0 = max($0, seen) }
    }

    /// Returns the last instant that a clock may show while another shows `time`: a day later.
    public static func limit(at time: Timestamp) -> Timestamp {
        let (limit, overflow) = time.microseconds.addingReportingOverflow(
            tolerance.components.seconds * 1_000_000)
        return overflow ? .distantFuture : Timestamp(microseconds: limit)
    }

    /// Whether `timestamp` is so far ahead that its writer's clock must be wrong.
    public func isImplausible(_ timestamp: Timestamp) -> Bool {
        timestamp > Self.limit(at: wall())
    }
}
