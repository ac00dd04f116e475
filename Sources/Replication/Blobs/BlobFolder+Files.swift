public import Foundation

extension BlobFolder {
    /// Writes a blob with the content of a file, in place of one that is there, a mebibyte at a
    /// time; see ``put(_:at:modified:)``.
    ///
    /// - Parameters:
    ///   - url: Of a regular file, of any size, in the package or not; symbolic links to it are
    ///     followed.
    ///   - modified: The modification time to give the blob; now, where `nil`.
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, `.unreadable` for what is no
    ///   regular file, `.incomplete` for one that changes meanwhile; as ``put(_:at:modified:)``. The
    ///   blob is what it was then.
    public func put(contentsOf url: URL, at path: String, modified: Timestamp? = nil) throws {
        let file = try Self.path(of: url)
        try put(at: path, modified: modified) { write in
            try WholeFile.forEachPiece(ofRegularFile: file, write)
        }
    }

    /// Where the file of the blob at `path` is, for what reads files by itself.
    ///
    /// It is for reading: who writes there does not write as ``put(_:at:modified:)`` does. Other
    /// devices may replace or delete the file at any time.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.unsafePath` also for a blob behind a symbolic
    ///   link, `.noPermission`.
    public func url(of path: String) throws(ReplicationError) -> URL {
        guard let file = try find(path)?.file else {
            throw ReplicationError(.notFound, "there is no blob \(path.quoted)")
        }
        return URL(filePath: file, directoryHint: .notDirectory)
    }

    /// The bytes of a file of any place, as ``put(contentsOf:at:modified:)`` takes it.
    package static func data(
        contentsOf url: URL, limit: Int64 = 1 << 30
    ) throws(ReplicationError) -> Data {
        try WholeFile.read(path(of: url), limit: limit)
    }

    private static func path(of url: URL) throws(ReplicationError) -> String {
        guard url.isFileURL else {
            throw ReplicationError(.unreadable, at: url.absoluteString, "no URL of a file")
        }
        return url.path(percentEncoded: false)
    }
}
