import Replication
import Synchronization

/// The times of the events of each device file, for stores that don't measure the latency of their
/// rows themselves.
///
/// Events come from another watcher than the rows, so an event can be noted after its rows were
/// reported. Not every event brings rows.
final class ArrivalTimes: Sendable {
    private struct Times {
        /// The first and last of the events in quick succession since the last report.
        var events: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?
        /// The time of the last report.
        var report: ContinuousClock.Instant?
    }

    /// The maximum time between two events of a file that count as one arrival.
    private static let pause = Duration.milliseconds(500)

    private let seen = Mutex<[DeviceFile: Times]>([:])

    /// Notes that a file has changed from `first` to `last`.
    func note(
        _ file: DeviceFile, from first: ContinuousClock.Instant, to last: ContinuousClock.Instant
    ) {
        seen.withLock { seen in
            var times = seen[file] ?? Times()
            if let report = times.report, last <= report { return }
            if let earlier = times.events, first - earlier.last < Self.pause {
                times.events = (min(earlier.first, first), max(earlier.last, last))
            } else {
                times.events = (first, last)
            }
            seen[file] = times
        }
    }

    /// Returns the time since the first event that can have brought a file's rows; `nil` if none
    /// was noted since the last call.
    func latency(of file: DeviceFile, at now: ContinuousClock.Instant = .now) -> Duration? {
        seen.withLock { seen in
            let first = seen[file]?.events?.first
            seen[file] = Times(events: nil, report: now)
            return first.map { now - $0 }
        }
    }
}
