import Dispatch
import Replication

extension EntityStore {
    /// Deletes the store in the package at `path`: the entities of all devices, and the package
    /// itself if nothing else is in the package. Other databases and files stay.
    ///
    /// First close the store on all devices. If a sync service carries the package, the service
    /// also deletes the files on the other devices. To delete the entities but keep the package,
    /// call ``reset()``, which can be undone.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.notAPackage`; `.busy` if a store of this
    ///   program is open there or another process is writing. After an error, nothing is deleted.
    public static func destroy(storeAt path: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(
                    with: Result { try StorePackage(opening: path).destroy(.entities) })
            }
        }
    }
}
