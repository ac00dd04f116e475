public import Foundation
import Replication
import Synchronization

extension KeyValueStore {
    /// The files of the store that are not values. They have no history.
    public var blobs: Blobs { Blobs(store: self) }

    /// The blobs of a store, in its package or in memory.
    public struct Blobs: Sendable {
        let store: KeyValueStore

        /// The bytes of the blob at `path`.
        ///
        /// - Returns: `nil` where a store in memory has none.
        /// - Throws: `ReplicationError`: `.notFound`, `.unsafePath`, as `BlobFolder.data`.
        /// - Complexity: O(*n*) in the blob's size, of 1 GiB at most in a package.
        public func data(at path: String) throws -> Data? {
            guard let package = store.package else {
                return store.memoryBlobs.withLock { $0[path] }
            }
            return try package.blobs.data(at: path)
        }

        /// Writes a blob, in place of one that is there.
        ///
        /// - Throws: `ReplicationError`: `.unsafePath`, `.noPermission`, as `BlobFolder.put`.
        public func put(_ data: Data, at path: String) throws {
            guard let package = store.package else {
                store.memoryBlobs.withLock { $0[path] = data }
                store.post(.blob(path: path))
                return
            }
            try package.blobs.put(data, at: path)
            tellOfFile(path)
        }

        /// Tells of a blob in the package. Where the folder is watched, it tells by itself.
        func tellOfFile(_ path: String) {
            if !store.configuration.watchesFolder { store.post(.blob(path: path)) }
        }

        /// Deletes a blob.
        ///
        /// - Throws: `ReplicationError`: `.notFound`, except in memory; `.unsafePath`.
        public func delete(_ path: String) throws {
            guard let package = store.package else {
                store.memoryBlobs.withLock { $0[path] = nil }
                store.post(.blob(path: path))
                return
            }
            try package.blobs.delete(path)
            tellOfFile(path)
        }

        /// The paths of all blobs that begin with `prefix`, in byte order.
        ///
        /// - Throws: `ReplicationError` if the package is gone or cannot be read.
        /// - Complexity: A look at each file in the folders that the prefix leads to or into.
        public func paths(prefix: String = "") throws -> [String] {
            guard let package = store.package else {
                return store.memoryBlobs.withLock { $0.keys.filter { $0.hasPrefix(prefix) } }
                    .sorted().texts
            }
            return try package.blobs.entries(prefix: prefix).map(\.path)
        }
    }
}
