import Dispatch
import Replication
import Synchronization

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

    /// Saves, and if that fails, withdraws the changes of some keys, so that a reported failure is
    /// final.
    ///
    /// - Parameter isKept: Returns, for an error, whether to keep the changes in memory and retry,
    ///   as `save()` does.
    /// - Throws: `ReplicationError`, whether the changes were withdrawn or kept.
    public func save(
        orWithdraw keys: [String], unless isKept: @Sendable (any Error) -> Bool = { _ in false }
    ) throws {
        try files?.onQueue { try saveOnQueue(orWithdraw: keys, unless: isKept) }
    }

    /// Saves, and if that fails, withdraws the changes of some keys, so that a reported failure is
    /// final.
    ///
    /// - Parameter isKept: Returns, for an error, whether to keep the changes in memory and retry,
    ///   as `save()` does.
    /// - Throws: `ReplicationError`, whether the changes were withdrawn or kept.
    public func save(
        orWithdraw keys: [String],
        unless isKept: @escaping @Sendable (any Error) -> Bool = { _ in false }
    ) async throws {
        try await onQueue { try $0.saveOnQueue(orWithdraw: keys, unless: isKept) }
    }

    private func saveOnQueue(
        orWithdraw keys: [String], unless isKept: (any Error) -> Bool
    ) throws {
        do {
            try saveOnQueue()
        } catch {
            let isWritten = (error as? ReplicationError)?.code == .unconfirmed
            if !isWritten, !isKept(error) { _ = try? withdrawOnQueue(keys) }
            throw error
        }
    }

    @discardableResult
    private func withdrawOnQueue(_ keys: [String]?) throws -> [String] {
        let wanted = keys.map { Set($0.map { Array($0.utf8) }) }
        // Later rows of a key build on the earlier ones, so all of them are withdrawn.
        let (withdrawn, isEmpty) = memory.withLock { memory in
            let keys = memory.pending.waiting.removeRows { wanted?.contains($0) ?? true }
            return (keys, memory.pending.isEmpty)
        }
        guard !withdrawn.isEmpty else { return [] }
        if isEmpty, saving.succeeded() { post(.saved) }
        try loadOnQueue(savesFirst: false)
        return Self.sorted(withdrawn)
    }

    private static func sorted(_ keys: Set<[UInt8]>) -> [String] {
        keys.sorted { $0.lexicographicallyPrecedes($1) }
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
