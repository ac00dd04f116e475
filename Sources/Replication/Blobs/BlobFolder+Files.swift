public import Foundation

extension BlobFolder {
    /// Writes a blob with the content of a file, one mebibyte at a time, and replaces an existing
    /// blob. See ``put(_:at:modified:)``.
    ///
    /// - Parameters:
    ///   - url: The URL of a regular file of any size, inside or outside the package. Symbolic
    ///     links to it are followed.
    ///   - modified: The modification time of the blob, or `nil` for the current time.
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, `.unreadable` if the file is
    ///   not a regular file, `.incomplete` if it changes during the copy; and the errors of
    ///   ``put(_:at:modified:)``. The existing blob is then unchanged.
    public func put(contentsOf url: URL, at path: String, modified: Timestamp? = nil) throws {
        let file = try Self.path(of: url)
        try put(at: path, modified: modified) { write in
            try WholeFile.forEachPiece(ofRegularFile: file, write)
        }
    }

    /// Returns the location of the blob at `path`, for code that reads files directly.
    ///
    /// Use the URL only for reading: direct writes lack the guarantees of ``put(_:at:modified:)``.
    /// Other devices may replace or delete the file at any time.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, or `.unsafePath`, also for a
    ///   blob behind a symbolic link.
    public func url(of path: String) throws(ReplicationError) -> URL {
        guard let file = try find(path)?.file else {
            throw ReplicationError(.notFound, "there is no blob \(path.quoted)")
        }
        return URL(filePath: file, directoryHint: .notDirectory)
    }

    /// Returns the bytes of a file at any location, with the restrictions of
    /// ``put(contentsOf:at:modified:)``.
    package static func data(contentsOf url: URL) throws(ReplicationError) -> Data {
        try WholeFile.read(path(of: url), limit: 1 << 30)
    }

    private static func path(of url: URL) throws(ReplicationError) -> String {
        guard url.isFileURL else {
            throw ReplicationError(.unreadable, at: url.absoluteString, "not a file URL")
        }
        return url.path(percentEncoded: false)
    }
}
