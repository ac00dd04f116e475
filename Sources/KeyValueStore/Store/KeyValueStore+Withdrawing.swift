import Replication

/// Withdrawing changes that are in the dictionary but not on disk.
extension KeyValueStore {
    /// The keys with changes that are not on disk yet, in byte order.
    public var unsavedKeys: [String] {
        let pending = memory.withLock { $0.pending.all }
        let keys = Set(pending.rows.map { Array(pending.key(of: $0)) })
        return Self.sorted(keys)
    }

    /// The reason why the last attempt to save failed; `nil` after a successful attempt, or after
    /// all changes were withdrawn.
    public var saveProblem: String? { saving.problem }

    /// The error of ``saveProblem``.
    package var saveFailure: (any Error)? { saving.failure }

    /// Withdraws unsaved changes: they are never written, and the dictionary returns to the values
    /// in the logs.
    ///
    /// All logs are read again, as by `load()`, and a `.loaded` event is posted.
    ///
    /// - Parameter keys: The keys whose changes to withdraw; `nil` for all.
    /// - Returns: The keys whose changes were withdrawn, in byte order.
    /// - Throws: As `load()`. The changes are withdrawn anyway.
    @discardableResult
    public func withdrawUnsavedChanges(of keys: [String]? = nil) throws -> [String] {
        try files?.onQueue { try withdrawOnQueue(keys) } ?? []
    }

    /// Saves, and if that fails, withdraws the changes of the given keys, so that a reported
    /// failure is final.
    ///
    /// - Parameters:
    ///   - isUnseenRefused: Whether saving fails if another process of this device has written one
    ///     of `keys` since this store read the log. Otherwise, saving puts the key in conflict.
    ///   - isKept: Returns, for an error, whether to keep the changes in memory and retry, as
    ///     `save()` does.
    /// - Throws: `ReplicationError`, both if the changes were withdrawn and if they were kept;
    ///   ``KeyValueError`` with code `.changedSinceRead` if `isUnseenRefused`.
    public func save(
        orWithdraw keys: [String], refusingUnseen isUnseenRefused: Bool = false,
        unless isKept: @Sendable (any Error) -> Bool = { _ in false }
    ) throws {
        try files?.onQueue {
            try saveOnQueue(orWithdraw: keys, refusingUnseen: isUnseenRefused, unless: isKept)
        }
    }

    /// Saves, and if that fails, withdraws the changes of the given keys.
    ///
    /// The parameters are those of the synchronous form.
    ///
    /// - Throws: As the synchronous form.
    public func save(
        orWithdraw keys: [String], refusingUnseen isUnseenRefused: Bool = false,
        unless isKept: @escaping @Sendable (any Error) -> Bool = { _ in false }
    ) async throws {
        try await onQueue {
            try $0.saveOnQueue(orWithdraw: keys, refusingUnseen: isUnseenRefused, unless: isKept)
        }
    }

    private func saveOnQueue(
        orWithdraw keys: [String], refusingUnseen: Bool, unless isKept: (any Error) -> Bool
    ) throws {
        let hadFailed = saving.problem != nil
        do {
            try saveOnQueue(
                refusingUnseen: refusingUnseen ? Set(keys.map { Array($0.utf8) }) : [],
                reporting: isKept)
        } catch {
            let isWritten = (error as? ReplicationError)?.code == .unconfirmed
            if !isWritten, !isKept(error) {
                _ = try? withdrawOnQueue(keys, reportsEnd: hadFailed)
                // Changes of other keys also failed.
                if hasUnsavedChanges { post(.saveFailed(message: "\(error)")) }
            }
            throw error
        }
    }

    /// Withdraws unsaved changes on the store's queue.
    ///
    /// - Parameter reportsEnd: Whether to report that nothing is left to save.
    @discardableResult
    private func withdrawOnQueue(_ keys: [String]?, reportsEnd: Bool = true) throws -> [String] {
        let wanted = keys.map { Set($0.map { Array($0.utf8) }) }
        // Later rows of a key build on the earlier ones, so all of them are withdrawn.
        let (withdrawn, isEmpty) = memory.withLock { memory in
            let keys = memory.pending.waiting.removeRows { wanted?.contains($0) ?? true }
            return (keys, memory.pending.isEmpty)
        }
        guard !withdrawn.isEmpty else { return [] }
        if isEmpty, saving.succeeded(), reportsEnd { post(.saved) }
        try loadOnQueue(savesFirst: false)
        return Self.sorted(withdrawn)
    }

    private static func sorted(_ keys: Set<[UInt8]>) -> [String] {
        keys.sorted { $0.lexicographicallyPrecedes($1) }
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
