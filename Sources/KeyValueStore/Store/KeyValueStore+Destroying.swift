import Replication

extension KeyValueStore {
    /// Deletes the store in the package at `path`: the logs of all devices, the blobs, and the
    /// package itself if nothing else is in it. Other databases and files stay.
    ///
    /// Close the store first, on the other devices, too: if a sync service carries the package, it
    /// deletes the files there. This can't be undone.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.notAPackage`; `.busy` if a store of this
    ///   program is open there or another process is writing. After an error, nothing is deleted.
    public static func destroy(storeAt path: String) throws {
        try StorePackage(opening: path).destroy(.logs, withBlobs: true)
    }
}
