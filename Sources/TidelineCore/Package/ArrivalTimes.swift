import Replication
import Synchronization

/// The time of the first event for each device file, for stores that don't measure the latency of
/// their rows themselves.
final class ArrivalTimes: Sendable {
    private let seen = Mutex<[DeviceFile: ContinuousClock.Instant]>([:])

    func note(_ file: DeviceFile, _ instant: ContinuousClock.Instant) {
        seen.withLock { $0[file] = min($0[file] ?? instant, instant) }
    }

    /// Returns the time since a file's first event; `nil` without an event since the last call.
    func latency(of file: DeviceFile) -> Duration? {
        seen.withLock { $0.removeValue(forKey: file) }.map { ContinuousClock.now - $0 }
    }
}
