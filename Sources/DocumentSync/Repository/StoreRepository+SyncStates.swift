public import Automerge
import DocumentStore
public import Foundation
import Replication
import Synchronization

/// What is shared with the stores of peers, which a storage folder of automerge-repo keeps.
///
/// A store package keeps none: the states would be carried to all devices with each change, and save
/// a peer no more than a filter of some bits a change when it connects.
extension StoreRepository {
    struct SyncStateKey: Hashable {
        let document: UUID
        let storageID: String
    }

    /// What is shared with other stores and not written yet.
    struct UnwrittenStates {
        var states: [SyncStateKey: Data] = [:]
        /// Whether they are to be written soon.
        var isDue = false
    }

    /// States are written together after this long: while somebody types, one follows another.
    private static let delay: Duration = .seconds(1)

    public func syncState(of id: DocumentID, with storageID: String) async throws -> Data? {
        guard let uuid = id.uuid else { return nil }
        let key = SyncStateKey(document: uuid, storageID: storageID)
        return try await onQueue {
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
            // What cannot be written is tried again with the next, and at the end.
            guard let self else { return }
            queue.async { try? self.writeStates() }
        }
    }

    /// Writes what was put off. Call it when synchronizing is over.
    ///
    /// - Throws: `ReplicationError` for a state that cannot be written.
    public func finish() async throws { try await onQueue { try self.writeStates() } }

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
                // One that came meanwhile is newer.
                unwrittenStates.withLock { $0.states[key] = $0.states[key] ?? state }
            }
        }
        if let failure { throw failure }
    }
}
