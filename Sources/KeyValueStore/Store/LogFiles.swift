import Dispatch
import Replication

/// The database side of a store: the follower of all logs, and this device's log for writing.
///
/// `@unchecked`: mutable state is only accessed on the follower's queue.
final class LogFiles: @unchecked Sendable {
    let package: StorePackage
    let device: DeviceID?
    let follower: LogFollower<KeyValueLog>
    private let memory: MemoryLock

    var queue: DispatchQueue { follower.queue }
    var names: [DeviceID: String] = [:]
    /// The reasons why the history in some logs could not be read. A reason is removed when the log
    /// changes.
    var pastProblems: [DeviceID: String] = [:]
    /// For each log that could not be read, the keys whose heads were evaluated without it.
    var unjudgedKeys: [DeviceID: Set<Name>] = [:]
    /// The maximum time that a save waits for another process's lock.
    let lockWait: LockWait

    /// Blobs in their last reported state; `nil` for a deleted one.
    private var reportedBlobs: [Name: BlobFolder.Entry?] = [:]
    private static let reportedLimit = 10_000
    /// The blobs as of the last listing or event; `nil` until they are listed, and if there are too
    /// many.
    private var listedBlobs: [Name: BlobFolder.Entry]?

    init(
        package: StorePackage, device: DeviceID?, memory: MemoryLock,
        configuration: KeyValueStore.Configuration
    ) {
        self.package = package
        self.device = device
        self.memory = memory
        let options = LogFollower<KeyValueLog>.Options(configuration)
        lockWait = options.lockWait
        follower = LogFollower(
            package, device: device,
            log: KeyValueLog(
                memory: memory, longest: configuration.longestValue,
                readsWholeRows: configuration.willSync != nil),
            options: options)
    }

    /// The state of this device's log.
    var ownHead: KeyValueHead? { device.flatMap { follower.head(of: $0) } }

    /// Whether a log has PARStore 1's format.
    var hasParstore: Bool { follower.logs.contains { $0.head.format == .parstore1 } }

    /// Returns whether a blob has changed since it was last reported. A file in a new folder is
    /// found twice, once by listing the folder and once by its own event, but is reported once.
    ///
    /// - Parameter isListed: Whether the blob was found by listing all blobs, such as after the
    ///   package came back. If so, an unchanged blob isn't reported.
    func isNews(_ path: String, in folder: BlobFolder, isListed: Bool) -> Bool {
        let found = (try? folder.entry(path)) ?? nil
        defer { listedBlobs?[Name(path)] = found }
        if isListed, let found, listedBlobs?[Name(path)] == found { return false }
        if let reported = reportedBlobs[Name(path)], reported == found { return false }
        if reportedBlobs.count >= Self.reportedLimit { reportedBlobs = [:] }
        reportedBlobs.updateValue(found, forKey: Name(path))
        return true
    }

    /// Lists the blobs in the background.
    func listBlobs() {
        guard package.blobs.exists else {
            // There are no blobs yet. If this list were read later, it could already contain the
            // first blobs, which must be reported as new.
            listedBlobs = [:]
            return
        }
        DispatchQueue.global(qos: .utility).async { [weak self] in
            guard let self, let entries = try? package.blobs.entries(),
                entries.count <= Self.reportedLimit
            else { return }
            queue.async {
                self.listedBlobs = Dictionary(keepingFirst: entries.map { (Name($0.path), $0) })
            }
        }
    }

    /// Checks that this thread may wait for the queue. During a transaction of this thread it must
    /// not, because the queue may be waiting for the transaction.
    func checkCanWait() throws(KeyValueError) {
        guard memory.isHeldHere else { return }
        throw KeyValueError(
            .insideTransaction,
            "a transaction can't wait for files: save, load, sync and close after it")
    }

    /// Runs `body` synchronously on the queue, or directly if the caller is on it.
    ///
    /// - Throws: ``KeyValueError``, `.insideTransaction`, and errors of `body`.
    func onQueue<Result>(_ body: () throws -> Result) throws -> Result {
        try checkCanWait()
        return try follower.onQueue(body)
    }

    /// Runs `body` as ``onQueue(_:)`` does, for callers that don't throw. Traps inside a
    /// transaction.
    func answer<Result>(_ body: () -> Result) -> Result {
        precondition(!memory.isHeldHere, "A transaction can't wait for files")
        return follower.onQueue(body)
    }
}
