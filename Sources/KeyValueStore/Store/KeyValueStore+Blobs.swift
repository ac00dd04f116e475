public import Foundation
public import Replication
import Synchronization

extension KeyValueStore {
    /// The store's blobs: files that are not values. They have no history.
    public var blobs: Blobs { Blobs(store: self) }

    /// The blobs of a store, in its package or in memory.
    public struct Blobs: Sendable {
        let store: KeyValueStore

        /// Returns the bytes of the blob at `path`.
        ///
        /// - Returns: `nil` if an in-memory store has no such blob.
        /// - Throws: `ReplicationError`: `.notFound`, `.unsafePath`, as `BlobFolder.data`.
        /// - Complexity: O(*n*) in the blob's size, which is limited to 1 GiB in a package.
        public func data(at path: String) throws -> Data? {
            guard let package = store.package else {
                return store.memoryBlobs.withLock { $0[path] }
            }
            return try package.blobs.data(at: path)
        }

        /// Writes a blob, or replaces an existing one.
        ///
        /// - Throws: `ReplicationError`: `.unsafePath`, `.noPermission`, as `BlobFolder.put`.
        public func put(_ data: Data, at path: String) throws {
            guard let package = store.package else {
                store.memoryBlobs.withLock { $0[path] = data }
                store.post(.blob(path: path))
                return
            }
            try package.blobs.put(data, at: path)
            reportFile(path)
        }

        /// Posts an event for a blob in the package, unless the watcher of the folder does so.
        func reportFile(_ path: String) {
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
            reportFile(path)
        }

        /// Returns the paths of all blobs that start with `prefix`, in byte order.
        ///
        /// - Throws: `ReplicationError` if the package is missing or can't be read.
        /// - Complexity: One `stat` for each file in the folders that the prefix matches.
        public func paths(prefix: String = "") throws -> [String] {
            guard let package = store.package else {
                return store.memoryBlobs.withLock { $0.keys.filter { $0.hasPrefix(prefix) } }
                    .sorted().texts
            }
            return try package.blobs.entries(prefix: prefix).map(\.path)
        }
    }
}

extension KeyValueStore.Blobs {
    /// Writes a blob with the content of a file, and replaces an existing blob.
    ///
    /// The file is copied one mebibyte at a time. An in-memory store loads all of it, up to a
    /// gibibyte.
    ///
    /// - Parameters:
    ///   - url: The URL of a regular file. Symbolic links to it are followed.
    ///   - modified: The modification time of the blob, or `nil` for the current time. An in-memory
    ///     store ignores it.
    /// - Throws: `ReplicationError`, as `BlobFolder.put(contentsOf:at:modified:)`. The existing
    ///   blob stays unchanged.
    public func put(contentsOf url: URL, at path: String, modified: Timestamp? = nil) throws {
        guard let package = store.package else {
            return try put(BlobFolder.data(contentsOf: url), at: path)
        }
        try package.blobs.put(contentsOf: url, at: path, modified: modified)
        reportFile(path)
    }

    /// Returns the location of the blob at `path`, for code that reads files directly. Don't write
    /// to the file. Other devices may replace or delete it at any time.
    ///
    /// - Returns: `nil` in an in-memory store, whose blobs aren't files.
    /// - Throws: `ReplicationError`: `.notFound`, `.unsafePath`, as `BlobFolder.url(of:)`.
    public func url(of path: String) throws -> URL? {
        try store.package?.blobs.url(of: path)
    }
}
