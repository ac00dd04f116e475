import Glibc

/// The `fcntl` commands for locks that belong to a descriptor rather than to the process, and that
/// Glibc doesn't import: `F_OFD_GETLK` and `F_OFD_SETLK` in fcntl.h.
enum DescriptorLock {
    static let get: Int32 = 36
    static let set: Int32 = 37
}

extension flock {
    /// Creates a lock on the bytes that SQLite locks: os.h, PENDING_BYTE, RESERVED_BYTE,
    /// SHARED_FIRST and SHARED_SIZE.
    ///
    /// - Parameters:
    ///   - type: The kind of lock, such as `F_RDLCK`.
    ///   - isOfReaders: Whether to lock only the bytes that readers lock.
    init(ofSQLite type: Int32, ofReaders isOfReaders: Bool = false) {
        self.init()
        l_type = Int16(type)
        l_whence = Int16(SEEK_SET)
        l_start = isOfReaders ? 0x4000_0002 : 0x4000_0000
        l_len = isOfReaders ? 510 : 512
    }
}
