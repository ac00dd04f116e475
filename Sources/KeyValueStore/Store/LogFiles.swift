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
        /// Why the file could not be read when it was last looked at.
        var problem: ReplicationError?
        /// Why rows of the past could not be read from the state of the file that `head` is of.
        var pastProblem: String?
        /// How often reading failed since it last did not.
        var failures = 0
        var retry: Scheduler.Cancellation?
        /// Keys whose heads were looked for while the file could not be read.
        var unjudgedKeys: Set<Name> = []
    }

    let queue = DispatchQueue(label: "Tideline.KeyValueStore", qos: .userInitiated)
    let package: StorePackage
    let device: DeviceID?
    private let memory: MemoryLock

    var logs: [DeviceID: Known] = [:]
    var names: [DeviceID: String] = [:]
    var writer: LogWriter?
    var watcher: PackageWatch.Subscription?
    var isDeleted = false
    /// How long a save waits for the lock of another process.
    let patience: LockPatience

    /// Blobs as they were when they were last told of; the path leads to none where it was deleted.
    private var toldBlobs: [Name: BlobFolder.Entry?] = [:]
    private static let toldLimit = 10_000

    private let key = DispatchSpecificKey<Bool>()

    init(
        package: StorePackage, device: DeviceID?, memory: MemoryLock, patience: LockPatience
    ) {
        self.package = package
        self.device = device
        self.memory = memory
        self.patience = patience
        queue.setSpecific(key: key, value: true)
    }

    /// Whether a blob is another than when it was last told of: one file put into a new folder is
    /// seen by the folder and by the file.
    func isNews(_ path: String, in folder: BlobFolder) -> Bool {
        let found = (try? folder.entry(path)) ?? nil
        if let told = toldBlobs[Name(path)], told == found { return false }
        if toldBlobs.count >= Self.toldLimit { toldBlobs = [:] }
        toldBlobs.updateValue(found, forKey: Name(path))
        return true
    }

    /// Makes sure that this thread may wait for the queue, of which the work at hand may be waiting
    /// for a transaction of this thread to end.
    func checkCanWait() throws(KeyValueError) {
        guard memory.isHeldHere else { return }
        throw KeyValueError(
            .insideTransaction,
            "A transaction cannot wait for files: save, load, sync and close after it")
    }

    /// Runs `body` on the queue and waits for it; at once where that is the current queue.
    ///
    /// - Throws: ``KeyValueError``, `.insideTransaction`, and what `body` throws.
    func onQueue<Result>(_ body: () throws -> Result) throws -> Result {
        try checkCanWait()
        if DispatchQueue.getSpecific(key: key) == true { return try body() }
        return try queue.sync(execute: body)
    }

    /// As ``onQueue(_:)``, for what asks without an error to tell; not inside a transaction.
    func answer<Result>(_ body: () -> Result) -> Result {
        precondition(!memory.isHeldHere, "A transaction cannot wait for files")
        if DispatchQueue.getSpecific(key: key) == true { return body() }
        return queue.sync(execute: body)
    }
}
