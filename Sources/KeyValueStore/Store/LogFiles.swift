import Dispatch
import Foundation
import Replication

/// The database side: what was read of each log, and this device's log for writing.
///
/// `@unchecked`: everything that changes is touched on the follower's queue only.
final class LogFiles: @unchecked Sendable {
    let package: StorePackage
    let device: DeviceID?
    let follower: LogFollower<KeyValueLog>
    private let memory: MemoryLock

    var queue: DispatchQueue { follower.queue }
    var names: [DeviceID: String] = [:]
    /// Why rows of the past could not be read, until the log changes.
    var pastProblems: [DeviceID: String] = [:]
    /// Keys whose heads were looked for while a log could not be read.
    var unjudgedKeys: [DeviceID: Set<Name>] = [:]
    /// How long a save waits for the lock of another process.
    let patience: LockPatience

    /// Blobs as they were when they were last told of; the path leads to none where it was deleted.
    private var toldBlobs: [Name: BlobFolder.Entry?] = [:]
    private static let toldLimit = 10_000
    /// Blobs as they were when they were last seen; `nil` until they are listed, and where they are
    /// very many.
    private var listedBlobs: [Name: BlobFolder.Entry]?

    init(
        package: StorePackage, device: DeviceID?, memory: MemoryLock,
        configuration: KeyValueStore.Configuration
    ) {
        self.package = package
        self.device = device
        self.memory = memory
        let options = LogFollower<KeyValueLog>.Options(configuration)
        patience = options.patience
        follower = LogFollower(
            package, device: device,
            log: KeyValueLog(
                memory: memory, longest: configuration.longestValue,
                readsWholeRows: configuration.willSync != nil),
            options: options)
    }

    /// What was read of this device's log.
    var ownHead: KeyValueHead? { device.flatMap { follower.head(of: $0) } }

    /// Whether a log has PARStore 1's form.
    var hasParstore: Bool { follower.logs.contains { $0.head.format == .parstore1 } }

    /// Whether a blob is another than when it was last told of: one file put into a new folder is
    /// seen by the folder and by the file.
    ///
    /// - Parameter isListed: Whether it was found in a list of all, as after the package came back:
    ///   then it is none where it is as it was in the list before.
    func isNews(_ path: String, in folder: BlobFolder, isListed: Bool) -> Bool {
        let found = (try? folder.entry(path)) ?? nil
        defer { listedBlobs?[Name(path)] = found }
        if isListed, let found, listedBlobs?[Name(path)] == found { return false }
        if let told = toldBlobs[Name(path)], told == found { return false }
        if toldBlobs.count >= Self.toldLimit { toldBlobs = [:] }
        toldBlobs.updateValue(found, forKey: Name(path))
        return true
    }

    /// Lists the blobs, while nobody waits for it.
    func listBlobs() {
        guard package.blobs.isThere else {
            // A list that is made later would hold the first that are put: those are news.
            listedBlobs = [:]
            return
        }
        DispatchQueue.global(qos: .utility).async { [weak self] in
            guard let self, let entries = try? package.blobs.entries(),
                entries.count <= Self.toldLimit
            else { return }
            queue.async {
                self.listedBlobs = Dictionary(
                    entries.map { (Name($0.path), $0) }, uniquingKeysWith: { first, _ in first })
            }
        }
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
        return try follower.onQueue(body)
    }

    /// As ``onQueue(_:)``, for what asks without an error to tell; not inside a transaction.
    func answer<Result>(_ body: () -> Result) -> Result {
        precondition(!memory.isHeldHere, "A transaction cannot wait for files")
        return follower.onQueue(body)
    }
}
