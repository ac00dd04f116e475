import Dispatch
import Replication
import Synchronization

extension KeyValueStore {
    /// Saves, stops watching, forgets what was read and ends all sequences of events.
    ///
    /// The store can be loaded again by ``load()-(())``, which reads all logs anew. Until then it is
    /// empty and refuses to be written. It waits for ``Configuration/closeTimeout`` at most where
    /// another process keeps the log locked.
    ///
    /// - Throws: As ``save()-(())``; the store is closed all the same, and what was not saved is
    ///   lost: ``unsavedKeys`` named it before. ``KeyValueError``, `.insideTransaction`: then it is
    ///   not closed.
    public func close() throws {
        guard let files else {
            memory.withLock { $0.close() }
            memoryBlobs.withLock { $0 = [:] }
            hub.finish()
            return
        }
        try files.checkCanWait()
        defer { hub.finish() }
        files.patience.shorten(to: configuration.closeTimeout)
        try files.onQueue {
            defer {
                memory.withLock { $0.close() }
                files.close()
                saving.reset()
            }
            try saveOnQueue()
        }
    }

    /// Which closing of the store there was last, if it is closed.
    var closing: Int? { memory.withLock { $0.phase == .closed ? $0.generation : nil } }

    /// Makes a closed store one that can be loaded.
    ///
    /// - Parameter closing: What ``closing`` was when somebody asked for it: who asked before the
    ///   store was closed does not open it again.
    func reopen(after closing: Int?) {
        let wasClosed = memory.withLock { memory in
            guard memory.phase == .closed, memory.generation == closing else { return false }
            memory.phase = files == nil ? .loaded : .new
            return true
        }
        if wasClosed { files?.patience.limit = configuration.lockTimeout }
    }
}

extension Memory {
    /// Forgets all but that entries were numbered before.
    mutating func close() {
        let generation = generation
        self = Memory()
        self.generation = generation + 1
        phase = .closed
    }
}

extension LogFiles {
    /// Stops watching, closes this device's log and forgets what was read of all.
    func close() {
        follower.close()
        (names, pastProblems, unjudgedKeys) = ([:], [:], [:])
    }
}
