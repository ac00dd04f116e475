import Dispatch
import GRDB
import Replication

extension KeyValueStore {
    /// Requests saving within the configured delay. Every change does this automatically.
    public func saveSoon() {
        guard files != nil else { return }
        // The schedule retains the store, so that pending changes are saved even if nothing else
        // retains it.
        saving.touch { self.saveBehind() }
    }

    /// Saves on the store's queue without waiting.
    private func saveBehind() { files?.queue.async { try? self.saveOnQueue() } }

    /// Writes all changes to this device's log. They are on disk when this returns.
    ///
    /// - Throws: `ReplicationError`. With code `.unconfirmed`, the changes are in the log, but the
    ///   disk didn't confirm them. With any other code, they stay in memory, and the store retries
    ///   until you withdraw them with ``withdrawUnsavedChanges(of:)``.
    /// - Complexity: O(*n*) in the number of changes, in one transaction.
    public func save() throws {
        try files?.onQueue { try saveOnQueue() }
    }

    /// Writes all changes to this device's log. They are on disk when this returns.
    ///
    /// - Throws: As the synchronous form.
    /// - Complexity: As the synchronous form.
    public func save() async throws {
        try await onQueue { try $0.saveOnQueue() }
    }

    /// Whether there are changes that are not on disk yet.
    public var hasUnsavedChanges: Bool {
        guard files != nil else { return false }
        return memory.withLock { !$0.pending.isEmpty }
    }

    /// Writes all changes to this device's log.
    ///
    /// - Parameters:
    ///   - keys: The keys to protect. Saving fails if another process of this device has written
    ///     one of them since this store read the log.
    ///   - isReported: Returns whether to report an error as an event.
    func saveOnQueue(
        refusingUnseen keys: Set<[UInt8]> = [],
        reporting isReported: (any Error) -> Bool = { _ in true }
    ) throws {
        guard let files, let (batch, devices) = takePending() else { return }
        var unconfirmed: ReplicationError?
        do {
            let hadFailed = try saving.attempt(again: { self.saveBehind() }) {
                unconfirmed = try write(
                    KeyValueLog.Draft(batch: batch, devices: devices, exclusiveKeys: keys), files)
            }
            if hadFailed { post(.saved) }
        } catch {
            memory.withLock { $0.pending.end(isWritten: false) }
            if isReported(error) { postAfterHeld(.saveFailed(message: "\(error)")) }
            throw error
        }
        if let unconfirmed {
            post(.saveUnconfirmed(message: "\(unconfirmed)"))
            throw unconfirmed
        }
    }

    /// Returns all pending rows and the devices that their numbers refer to, or `nil` if there are
    /// no rows.
    private func takePending() -> (KeyRowBatch, [DeviceID])? {
        memory.withLock { memory in
            let batch = memory.pending.begin()
            return batch.isEmpty ? nil : (batch, memory.cache.devices)
        }
    }

    /// Writes rows to the log.
    ///
    /// - Returns: The error if the rows are in the log but the disk didn't confirm them; otherwise
    ///   `nil`.
    private func write(
        _ draft: KeyValueLog.Draft, _ files: LogFiles
    ) throws -> ReplicationError? {
        try chooseForm(files)
        let appended = try files.follower.append(draft)
        memory.withLock { $0.pending.end(isWritten: true) }
        if let moved = appended.written {
            note(moved)
            judgeForks(of: moved.batch, files)
            judgeForks(of: memory.withLock { $0.pending.all }, files)
        }
        return appended.unconfirmed
    }

    /// Updates the dictionary for rows whose timestamps changed during the write, and for pending
    /// rows that follow them.
    private func note(_ moved: KeyValueLog.Moved) {
        memory.withLock { memory in
            var end = moved.end
            var entries = memory.reapply(moved.batch)
            if let pending = memory.pending.waiting.following(&end, own: memory.own) {
                memory.pending.waiting = pending
                entries.formUnion(memory.reapply(pending))
            }
            if let last = end.last { configuration.clock.observe(Timestamp(microseconds: last)) }
            guard hub.isHeard else { return }
            post(.changed(memory.changes(entries.sorted(), new: [])), in: memory)
        }
    }

    /// Creates this device's folder and log now, without a row. Otherwise, the first row creates
    /// them.
    ///
    /// The first device of a package determines the format of all other devices' logs. If
    /// ``Configuration/format`` is `.parstore1`, the new log has PARStore 1's format, as far as it
    /// is known. It lacks the model hashes that Core Data would compare with the program's model
    /// (`NSStoreModelVersionHashes`), and it hasn't been tested with an Apple program. An existing
    /// log is kept.
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

    /// Determines the format of this device's log if it has to be created.
    func chooseForm(_ files: LogFiles) throws {
        guard device != nil else { throw KeyValueError.withoutDevice }
        let format: LogFormat = memory.withLock { $0.ownIsParstore ? .parstore1 : .tideline2 }
        var form = KeyValueLog.Form(format: format)
        if format == .parstore1, files.ownHead == nil {
            form.template = try parstoreTemplate(files)
        }
        files.follower.log.form = form
    }

    /// Returns the tables for a log in PARStore 1's format: a copy of another device's tables or,
    /// if no log has the format yet, a built-in template.
    ///
    /// - Throws: `ReplicationError` if there are logs in this format but none of them can be read
    ///   now.
    func parstoreTemplate(_ files: LogFiles) throws -> ParstoreTemplate {
        var problem: (any Error)?
        for (folder, head) in files.follower.logs where head.format == .parstore1 {
            do {
                return try ForeignDatabase.value(from: folder.path(of: .logs)) {
                    try ParstoreTemplate($0)
                }
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
        return try ParstoreTemplate()
    }

    /// Closes this device's file now. The next save reopens it.
    ///
    /// Waits for the store's queue, so don't call this inside a transaction.
    public func closeDatabase() {
        files?.answer { files?.follower.closeDatabase() }
    }

    /// Whether this device's file is currently open.
    ///
    /// Waits for the store's queue, so don't access this property inside a transaction.
    public var isDatabaseOpen: Bool {
        files?.answer { files?.follower.isDatabaseOpen ?? false } ?? false
    }
}
