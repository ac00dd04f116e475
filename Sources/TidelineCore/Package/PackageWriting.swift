import Replication
import Synchronization

/// Whether the files that belong to a package as a whole can be written: blobs, and the names of
/// devices.
final class PackageWriting: Sendable {
    /// The writing device; `nil` if the session is read-only.
    let device: DeviceID?
    private let unlocked: Mutex<Bool>

    init(as device: DeviceID?, isUnlocked: Bool) {
        self.device = device
        unlocked = Mutex(isUnlocked)
    }

    /// Whether the user has unlocked writing.
    var isUnlocked: Bool {
        get { unlocked.withLock { $0 } }
        set { unlocked.withLock { $0 = newValue } }
    }

    var availability: Availability { .writing(as: device, isWritable: isUnlocked) }

    /// Checks that files can be written.
    ///
    /// - Throws: ``EditError`` with code `.readOnly` if files can't be written.
    func check() throws(EditError) {
        if case .unavailable(let reason) = availability { throw EditError(.readOnly, reason) }
    }
}
