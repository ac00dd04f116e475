import Replication
import Synchronization

extension KeyValueStore {
    /// Saves, stops watching, discards the values, and ends all event sequences.
    ///
    /// The store can be reopened with ``load()-(())``, which reads all logs again. Until then, it
    /// is empty and rejects writes. If another process holds a lock on the log, this method waits
    /// for at most ``Configuration/closeTimeout``.
    ///
    /// - Throws: As ``save()-(())``. The store is closed anyway, and unsaved changes are lost;
    ///   check ``unsavedKeys`` before. ``KeyValueError``, `.insideTransaction`, without closing the
    ///   store.
    public func close() throws {
        guard let files else {
            memory.withLock { $0.close() }
            memoryBlobs.withLock { $0 = [:] }
            hub.finish()
            return
        }
        try files.checkCanWait()
        defer { hub.finish() }
        files.lockWait.shorten(to: configuration.closeTimeout)
        try files.onQueue {
            defer {
                memory.withLock { $0.close() }
                files.close()
                saving.reset()
            }
            try saveOnQueue()
        }
    }

    /// The generation of the closed store; `nil` if it isn't closed.
    var closing: Int? { memory.withLock { $0.phase == .closed ? $0.generation : nil } }

    /// Reopens a closed store for loading.
    ///
    /// - Parameter closing: The value of ``closing`` at the time of the request. A request from
    ///   before the close doesn't reopen the store.
    func reopen(after closing: Int?) {
        let wasClosed = memory.withLock { memory in
            guard memory.phase == .closed, memory.generation == closing else { return false }
            memory.phase = files == nil ? .loaded : .new
            return true
        }
        if wasClosed { files?.lockWait.limit = configuration.lockTimeout }
    }
}

extension Memory {
    /// Discards all content and increments the generation, which invalidates numbers of entries.
    mutating func close() {
        let generation = generation
        self = Memory()
        self.generation = generation + 1
        phase = .closed
    }
}

extension LogFiles {
    /// Stops watching, closes this device's log, and discards the rows of all logs.
    func close() {
        follower.close()
        (names, pastProblems, unjudgedKeys) = ([:], [:], [:])
    }
}

extension KeyValueStore {
    /// Deletes the store in the package at `path`: the logs of all devices, the blobs, and the
    /// package itself if nothing else is in it. Other databases and files stay.
    ///
    /// First close the store on all devices. If a sync service carries the package, it also deletes
    /// the files on the other devices. This can't be undone.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.notAPackage`; `.busy` if a store of this
    ///   program is open there or another process is writing. After an error, nothing is deleted.
    public static func destroy(storeAt path: String) throws {
        try StorePackage(opening: path).destroy(.logs, withBlobs: true)
    }
}
