public import Foundation
public import Replication

extension KeyValueStore.Blobs {
    /// Writes a blob with the content of a file, in place of one that is there.
    ///
    /// A mebibyte at a time, so that a file of any size takes no memory; a store in memory takes all
    /// of it, up to a gibibyte.
    ///
    /// - Parameters:
    ///   - url: Of a regular file; symbolic links to it are followed.
    ///   - modified: The modification time to give the blob; now, where `nil`. A store in memory
    ///     keeps none.
    /// - Throws: `ReplicationError`, as `BlobFolder.put(contentsOf:at:modified:)`; the blob is what
    ///   it was then.
    public func put(contentsOf url: URL, at path: String, modified: Timestamp? = nil) throws {
        guard let package = store.package else {
            return try put(BlobFolder.data(contentsOf: url), at: path)
        }
        try package.blobs.put(contentsOf: url, at: path, modified: modified)
        tellOfFile(path)
    }

    /// Where the file of the blob at `path` is, for what reads files by itself: to be read, not
    /// written, and other devices may replace or delete it at any time.
    ///
    /// - Returns: `nil` in a store in memory, whose blobs are no files.
    /// - Throws: `ReplicationError`: `.notFound`, `.unsafePath`, as `BlobFolder.url(of:)`.
    public func url(of path: String) throws -> URL? {
        try store.package?.blobs.url(of: path)
    }
}
