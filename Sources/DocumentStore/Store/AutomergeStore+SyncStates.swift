package import Foundation

extension AutomergeStore {
    /// What was last shared of a document with a store of another place, as Automerge encodes it;
    /// `nil` where nothing is known of that. Only a storage folder of automerge-repo keeps such.
    package func syncState(of document: UUID, with storageID: String) -> Data? {
        backing.syncState(of: document, with: storageID)
    }

    /// Keeps what is shared with a store of another place, where the store keeps such and can be
    /// written.
    ///
    /// - Throws: `ReplicationError`.
    package func keepSyncState(
        _ encoded: Data, of document: UUID, with storageID: String
    ) throws {
        try backing.keepSyncState(encoded, of: document, with: storageID)
    }
}
