import GRDB
import Replication
import Synchronization

extension KeyValueStore {
    /// Makes this device's folder and log now, without a row; otherwise the first row does.
    ///
    /// So a package's first device settles the form that the logs of all others will have: with
    /// ``Configuration/format`` `.parstore1` it is PARStore 1's, as far as that is known. What Core
    /// Data would compare with the program's model (`NSStoreModelVersionHashes`) is not in such a
    /// log, and no Apple program has opened one. A device whose log is there keeps it.
    ///
    /// - Throws: ``KeyValueError``: `.notLoaded`, `.readOnly`, `.ownLogUnreadable`; `ReplicationError`
    ///   as ``save()-(())``.
    public func createLog() throws {
        guard let files else { return }
        try files.onQueue {
            try memory.withLock { memory in try checkWritable(memory) }
            guard let device, files.ownHead == nil else { return }
            try chooseForm(files)
            try files.follower.localDatabase(device).write { _ in }
            try files.follower.sync()
        }
    }

    /// The tables for a log of PARStore 1's form: those of another device, or, where no log has the
    /// form yet, what is known of it.
    ///
    /// - Throws: `ReplicationError` where there are such logs and none can be read now.
    func parstoreTemplate(_ files: LogFiles) throws -> ParstoreTemplate {
        var problem: (any Error)?
        for (folder, head) in files.follower.logs where head.format == .parstore1 {
            do {
                let path = folder.path(of: .logs)
                let outcome = try ForeignDatabase.read(path) { try ParstoreTemplate($0) }
                if case .read(let template, _) = outcome { return template }
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
        return try ParstoreTemplate()
    }
}
