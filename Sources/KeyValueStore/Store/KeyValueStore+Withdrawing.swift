import Dispatch
import Replication
import Synchronization

/// Taking back what is in the dictionary and not on disk.
extension KeyValueStore {
    /// The keys with changes that are not on disk yet, in byte order.
    public var unsavedKeys: [String] {
        let pending = memory.withLock { $0.pending.all }
        let keys = Set(pending.rows.map { Array(pending.key(of: $0)) })
        return Self.sorted(keys)
    }

    /// Why the last attempt to save failed; `nil` once one did not, or all was withdrawn.
    public var saveProblem: String? { saving.problem }

    /// Takes back the changes that are not on disk: they are not written, neither now nor later,
    /// and the dictionary says again what the logs say.
    ///
    /// All logs are read anew for it, as by `load()`, and told as `.loaded`.
    ///
    /// - Parameter keys: Whose changes to take back; `nil`: all.
    /// - Returns: The keys whose changes were taken back, in byte order.
    /// - Throws: As `load()`. What was taken back will not be written even so.
    @discardableResult
    public func withdrawUnsavedChanges(of keys: [String]? = nil) throws -> [String] {
        try files?.onQueue { try withdrawOnQueue(keys) } ?? []
    }

    /// Saves, or takes back the changes of these keys: whoever is told that a write failed can rely
    /// on it.
    ///
    /// - Parameter isKept: Asked about the error; where it says so, the changes stay in memory and
    ///   are tried again, as with `save()`.
    /// - Throws: `ReplicationError`, whether the changes were taken back or kept.
    public func save(
        orWithdraw keys: [String], unless isKept: @Sendable (any Error) -> Bool = { _ in false }
    ) throws {
        try files?.onQueue { try saveOnQueue(orWithdraw: keys, unless: isKept) }
    }

    /// Saves, or takes back the changes of these keys.
    ///
    /// - Throws: `ReplicationError`, whether the changes were taken back or kept.
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
        // Later rows of a key build on the earlier ones, so all of them go.
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
