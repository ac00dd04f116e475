import Replication
import Synchronization

/// When the first event of a change to a device's file was seen, until somebody asks: for stores
/// that do not say how long their rows took to become visible.
final class Arrivals: Sendable {
    private let seen = Mutex<[DeviceFile: ContinuousClock.Instant]>([:])

    func note(_ file: DeviceFile, _ instant: ContinuousClock.Instant) {
        seen.withLock { $0[file] = min($0[file] ?? instant, instant) }
    }

    /// How long ago that was; `nil` where nothing was seen since the last time.
    func latency(of file: DeviceFile) -> Duration? {
        seen.withLock { $0.removeValue(forKey: file) }.map { ContinuousClock.now - $0 }
    }
}
