public import Foundation
public import Replication

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
    /// to it. Other devices may replace or delete the file at any time.
    ///
    /// - Returns: `nil` in an in-memory store, whose blobs aren't files.
    /// - Throws: `ReplicationError`: `.notFound`, `.unsafePath`, as `BlobFolder.url(of:)`.
    public func url(of path: String) throws -> URL? {
        try store.package?.blobs.url(of: path)
    }
}
