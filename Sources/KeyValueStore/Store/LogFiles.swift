import Dispatch
import Foundation
import Replication

/// The database side: what was read of each log, and this device's log for writing.
///
/// `@unchecked`: everything that changes is touched on `queue` only.
final class LogFiles: @unchecked Sendable {
    struct Known {
        var folder: DeviceFolder
        var head: LogHead?
        /// The state of the file that was read; `nil` makes the next look read again.
        var stamp: FileStamp?
        /// How often reading failed since it last did not.
        var failures = 0
        var retry: Scheduler.Cancellation?
    }

    let queue = DispatchQueue(label: "Tideline.KeyValueStore", qos: .userInitiated)
    let package: StorePackage
    let device: DeviceID?

    var logs: [DeviceID: Known] = [:]
    var names: [DeviceID: String] = [:]
    var writer: LogWriter?
    var watcher: FolderWatcher?
    var isDeleted = false
    /// How long a save waits for the lock of another process.
    let patience: LockPatience

    private let key = DispatchSpecificKey<Bool>()

    init(package: StorePackage, device: DeviceID?, patience: LockPatience) {
        self.package = package
        self.device = device
        self.patience = patience
        queue.setSpecific(key: key, value: true)
    }

    /// Runs `body` on the queue and waits for it; at once where that is the current queue.
    func onQueue<Result>(_ body: () throws -> Result) rethrows -> Result {
        if DispatchQueue.getSpecific(key: key) == true { return try body() }
        return try queue.sync(execute: body)
    }
}
