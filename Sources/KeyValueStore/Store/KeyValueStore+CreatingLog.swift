import GRDB
import Replication

extension KeyValueStore {
    /// Creates this device's folder and log now, without a row. Without this call, the first row
    /// creates the folder and the log.
    ///
    /// The first device of a package determines the format of all other devices' logs. If
    /// ``Configuration/format`` is `.parstore1`, the new log has PARStore 1's format, as far as
    /// this format is known. The log lacks the model hashes that Core Data would compare with the
    /// program's model (`NSStoreModelVersionHashes`), and it hasn't been tested with an Apple
    /// program. An existing log is kept.
    ///
    /// - Throws: ``KeyValueError``: `.notLoaded`, `.readOnly`, `.ownLogUnreadable`;
    ///   `ReplicationError` as ``save()-(())``.
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

    /// Returns the tables for a log in PARStore 1's format: a copy of another device's tables or,
    /// if no log has the format yet, a built-in template.
    ///
    /// - Throws: `ReplicationError` if there are logs in this format but none of these logs can be
    ///   read now.
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
