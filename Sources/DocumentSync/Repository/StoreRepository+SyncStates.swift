public import Automerge
import DocumentStore
public import Foundation
import Replication
import Synchronization

/// Sync states with the stores of peers, which a storage folder of automerge-repo contains.
///
/// A store package doesn't contain sync states, because each change of a sync state would be synced
/// to all devices. Sync states have only one benefit: a peer that connects doesn't have to send a
/// filter with a few bits per change.
extension StoreRepository {
    struct SyncStateKey: Hashable {
        let document: UUID
        let storageID: String
    }

    /// The sync states that are not written yet.
    struct UnwrittenStates {
        var states: [SyncStateKey: Data] = [:]
        /// Whether a write is scheduled.
        var isDue = false
    }

    /// The delay before states are written together. While a user types, states change in quick
    /// succession.
    private static let delay: Duration = .seconds(1)

    public func syncState(of id: DocumentID, with storageID: String) async throws -> Data? {
        guard let uuid = id.uuid else { return nil }
        let key = SyncStateKey(document: uuid, storageID: storageID)
        return try await queue.run {
            self.unwrittenStates.withLock { $0.states[key] }
                ?? self.store.syncState(of: uuid, with: storageID)
        }
    }

    public func keepSyncState(
        _ state: Data, of id: DocumentID, with storageID: String
    ) async throws {
        guard let uuid = id.uuid, store.isWritable, !store.hasWorkspaces else { return }
        let wasDue = unwrittenStates.withLock { unwritten in
            unwritten.states[SyncStateKey(document: uuid, storageID: storageID)] = state
            defer { unwritten.isDue = true }
            return unwritten.isDue
        }
        guard !wasDue else { return }
        scheduler.schedule(after: Self.delay) { [weak self] in
            // If writing fails, writing is tried again with the next write, and at the end of
            // syncing.
            guard let self else { return }
            queue.async { try? self.writeStates() }
        }
    }

    /// Writes the postponed states. Call this method after syncing.
    ///
    /// - Throws: `ReplicationError` if a state can't be written.
    public func finish() async throws { try await queue.run { try self.writeStates() } }

    private func writeStates() throws {
        let states = unwrittenStates.withLock { unwritten in
            defer { unwritten = UnwrittenStates() }
            return unwritten.states
        }
        var failure: (any Error)?
        for (key, state) in states {
            do {
                try store.keepSyncState(state, of: key.document, with: key.storageID)
            } catch {
                failure = failure ?? error
                // A state that was added during the write is newer, so keep the newer state.
                unwrittenStates.withLock { $0.states[key] = $0.states[key] ?? state }
            }
        }
        if let failure { throw failure }
    }
}
