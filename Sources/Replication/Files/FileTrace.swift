import Glibc

/// The traces that a write leaves on a file. They are read without opening the file, because
/// closing a descriptor of a file releases all of this process's locks on it.
package struct FileTrace: Hashable, Sendable {
    package let byteCount: Int64
    private let inode: UInt64
    private let modified: Int64

    /// Reads the traces; `nil` if the file doesn't exist.
    package init?(_ path: String) {
        var raw = stat()
        guard stat(path, &raw) == 0 else { return nil }
        let status = FileStatus(raw)
        (byteCount, inode, modified) = (status.byteCount, status.inode, status.modified)
    }
}
