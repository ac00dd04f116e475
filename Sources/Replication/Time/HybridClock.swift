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
    ///
    /// - Throws: ``ReplicationError``, `.timeOutOfRange`, where that would not be a time that a row
    ///   can have (``Timestamp/isRecordable``). It says whether this device's clock is the reason
    ///   or what was seen.
    public func tick(
        after seen: Timestamp = .distantPast
    ) throws(ReplicationError) -> Timestamp {
        try last.withLock { last throws(ReplicationError) in
            let next = try self.next(after: seen, last: last, count: 1)
            last = next
            return next
        }
    }

    /// Makes sure that there is time for some ticks after `seen`.
    ///
    /// - Throws: As ``tick(after:)`` would for one of them.
    public func check(
        _ count: Int, ticksAfter seen: Timestamp
    ) throws(ReplicationError) {
        try last.withLock { last throws(ReplicationError) in
            _ = try next(after: seen, last: last, count: count)
        }
    }

    private func next(
        after seen: Timestamp, last: Timestamp, count: Int
    ) throws(ReplicationError) -> Timestamp {
        let now = wall()
        let next = max(now, max(seen, last).successor)
        let (end, overflow) = next.microseconds.addingReportingOverflow(
            Int64(clamping: max(count, 1) - 1))
        guard !next.isRecordable || overflow || !Timestamp.isRecordable(end) else { return next }
        let cause =
            if !now.isRecordable {
                "this device's clock says \(now.iso8601)"
            } else if seen >= last {
                "the newest time that was seen is \(seen.iso8601)"
            } else {
                "this device wrote at \(last.iso8601)"
            }
        throw ReplicationError(
            .timeOutOfRange, "\(cause), and rows have times of the years 1 to 9999 only")
    }

    /// Makes the following timestamps later than `seen`: what this device's own log ended with.
    public func observe(_ seen: Timestamp) {
        guard seen.isRecordable else { return }
        last.withLock { $0 = max($0, seen) }
    }

    /// Whether `timestamp` lies so far ahead that its writer's clock must be wrong.
    public func isImplausible(_ timestamp: Timestamp) -> Bool {
        let (limit, overflow) = wall().microseconds.addingReportingOverflow(
            Self.tolerance.components.seconds * 1_000_000)
        return !overflow && timestamp.microseconds > limit
    }
}
