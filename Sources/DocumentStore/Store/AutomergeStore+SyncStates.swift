package import Foundation

extension AutomergeStore {
    /// Returns the encoded Automerge sync state of a document with another store; `nil` if there is
    /// none. Only automerge-repo storage folders keep sync states.
    package func syncState(of document: UUID, with storageID: String) -> Data? {
        backing.syncState(of: document, with: storageID)
    }

    /// Stores the sync state of a document with another store, if this store keeps sync states and
    /// is writable.
    ///
    /// - Throws: `ReplicationError`.
    package func keepSyncState(
        _ encoded: Data, of document: UUID, with storageID: String
    ) throws {
        try backing.keepSyncState(encoded, of: document, with: storageID)
    }
}
