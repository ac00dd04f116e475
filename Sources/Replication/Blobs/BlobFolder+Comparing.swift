import Glibc

extension BlobFolder {
    private struct Differing: Error {}

    /// Returns whether the blob at `path` has the same bytes as another blob.
    ///
    /// - Parameter otherPath: The path of the other blob; `nil` for `path`.
    /// - Throws: ``ReplicationError``, as ``read(_:_:)``, for either blob.
    /// - Complexity: O(1) if the sizes differ, otherwise O(*n*) in the blob's size up to the first
    ///   difference; memory for two mebibytes.
    package func hasSameBytes(
        at path: String, as other: BlobFolder, at otherPath: String? = nil
    ) throws -> Bool {
        do {
            try withFile(of: path) { file, full in
                try other.withFile(of: otherPath ?? path) { theirs, theirFull in
                    guard try file.status(full).byteCount == theirs.status(theirFull).byteCount
                    else { throw Differing() }
                    var offset: Int64 = 0
                    try file.forEachPiece(full) { piece in
                        let other = try theirs.read(piece.count, at: offset, theirFull)
                        guard other.count == piece.count, let bytes = piece.baseAddress,
                            memcmp(other, bytes, piece.count) == 0
                        else { throw Differing() }
                        offset += Int64(piece.count)
                    }
                    guard try theirs.status(theirFull).byteCount == offset else {
                        throw Differing()
                    }
                }
            }
            return true
        } catch is Differing {
            return false
        }
    }
}
