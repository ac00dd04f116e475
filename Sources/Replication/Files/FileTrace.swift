/// The traces that a write leaves on a file. They are read without opening the file, because
/// closing a descriptor of a file releases all of this process's locks on it.
package struct FileTrace: Hashable, Sendable {
    package let byteCount: Int64
    private let inode: UInt64
    private let modified: Int64

    /// Reads the traces; `nil` if the file doesn't exist.
    package init?(_ path: String) {
        guard let status = FileStatus(following: path) else { return nil }
        (byteCount, inode, modified) = (status.byteCount, status.inode, status.modified)
    }
}
