import Replication
import Synchronization

/// Whether a part of a store can be written: the writing device, and whether the user has unlocked
/// writing.
final class WriteAccess: Sendable {
    /// The writing device; `nil` if the session is read-only.
    let device: DeviceID?
    private let unlocked: Mutex<Bool>

    init(as device: DeviceID?, isUnlocked: Bool) {
        self.device = device
        unlocked = Mutex(isUnlocked)
    }

    var isUnlocked: Bool {
        get { unlocked.withLock { $0 } }
        set { unlocked.withLock { $0 = newValue } }
    }

    var availability: Availability { .writing(as: device, isWritable: isUnlocked) }

    /// Checks that the part can be written.
    ///
    /// - Throws: ``EditError`` with code `.readOnly` if it can't be written.
    func check() throws(EditError) {
        if case .unavailable(let reason) = availability { throw EditError(.readOnly, reason) }
    }
}
