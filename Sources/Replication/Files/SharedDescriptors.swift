import Glibc
import Synchronization

/// The database files that this process has open for writing, each with one descriptor to inspect
/// it.
///
/// SQLite's locks are POSIX record locks: when a process closes *any* descriptor of a file, it
/// loses all its locks on that file. So a file that SQLite has open in this process must not be
/// opened and closed separately. Code that needs the file's bytes borrows the shared descriptor.
/// Source: <https://www.sqlite.org/howtocorrupt.html>, section 2.2.
enum SharedDescriptors {
    struct Key: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: FileStatus) {
            device = status.device
            inode = status.inode
        }
    }

    private struct Held {
        /// The descriptor for inspection.
        let descriptor: Int32
        /// Other descriptors of the file that must stay open for now.
        var more: [Int32] = []
        var users = 1
    }

    private static let held = Mutex<[Key: Held]>([:])

    /// Registers that SQLite is about to open the file at `path` for writing. Creates an empty file
    /// if there is none.
    ///
    /// - Returns: The file, and whether this call created it.
    static func hold(_ path: String) throws(ReplicationError) -> (Key, isNew: Bool) {
        try held.withLock { held throws(ReplicationError) in
            while true {
                if let found = try hold(path, &held) { return found }
            }
        }
    }

    /// Registers the file.
    ///
    /// - Returns: `nil` if another process has just created the file.
    private static func hold(
        _ path: String, _ held: inout [Key: Held]
    ) throws(ReplicationError) -> (Key, isNew: Bool)? {
        let present = try FileStatus.ofLink(at: path)
        if let present {
            guard !present.isSymbolicLink else {
                throw ReplicationError(linkAt: path)
            }
            guard present.isRegularFile else {
                throw ReplicationError(.unreadable, "\(path) is not a regular file")
            }
            if var known = held[Key(present)] {
                known.users += 1
                held[Key(present)] = known
                return (Key(present), isNew: false)
            }
        }
        let flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let number =
            present == nil
            ? open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0o666)
            : open(path, O_RDONLY | flags)
        guard number >= 0 else {
            if present == nil, errno == EEXIST { return nil }
            throw ReplicationError(system: errno, "open", path)
        }
        var raw = stat()
        guard fstat(number, &raw) == 0 else {
            let reason = errno
            close(number)
            throw ReplicationError(system: reason, "examine", path)
        }
        let key = Key(FileStatus(raw))
        // A file that is already registered may have been moved to this path after the check.
        if var known = held[key] {
            known.users += 1
            known.more.append(number)
            held[key] = known
        } else {
            held[key] = Held(descriptor: number)
        }
        return (key, isNew: present == nil)
    }

    /// Registers that SQLite has closed the file.
    static func release(_ key: Key) {
        held.withLock { held in
            guard var known = held[key] else { return }
            known.users -= 1
            if known.users == 0 {
                for number in [known.descriptor] + known.more { close(number) }
                held[key] = nil
            } else {
                held[key] = known
            }
        }
    }

    /// Deletes the file and its journal if the file is empty and no other connection uses it.
    ///
    /// This method locks the bytes that SQLite locks, so that no process writes between the check
    /// and the deletion: <https://www.sqlite.org/lockingv3.html>. SQLite itself can't lock an empty
    /// file on a full disk, because it writes the header of a journal first.
    ///
    /// - Parameter key: The file, which the caller must have created.
    /// - Returns: Whether the file was deleted.
    static func deleteIfEmpty(_ key: Key, at path: String) -> Bool {
        held.withLock { held in
            guard let known = held[key], known.users == 1 else { return false }
            var lock = flock(ofSQLite: F_WRLCK)
            // Without locks, SQLite can't have written to the file.
            guard fcntl(known.descriptor, F_SETLK, &lock) == 0 || errno == ENOLCK else {
                return false
            }
            defer {
                lock.l_type = Int16(F_UNLCK)
                _ = fcntl(known.descriptor, F_SETLK, &lock)
            }
            guard let present = try? FileStatus.ofLink(at: path), Key(present) == key,
                present.byteCount == 0
            else { return false }
            unlink("\(path)-journal")
            return unlink(path) == 0
        }
    }

    /// Returns whether this process has the file at `path` open for writing.
    static func holds(_ path: String) throws(ReplicationError) -> Bool {
        guard let status = try FileStatus.ofLink(at: path) else { return false }
        return held.withLock { $0[Key(status)] != nil }
    }

    /// Returns whether the file system of the file at `path` doesn't support locks. Takes no lock.
    static func lacksLocks(_ path: String) -> Bool {
        let isRefused = try? look(at: path) { file throws(ReplicationError) -> Bool in
            var lock = flock(ofSQLite: F_WRLCK)
            return fcntl(file.number, DescriptorLock.get, &lock) != 0 && errno == ENOLCK
        }
        return isRefused ?? false
    }

    /// Inspects the regular file at `path` through the shared descriptor, or through a new one if
    /// there is none.
    ///
    /// Keep `body` short, because it blocks all other opening of files.
    static func look<Value: Sendable>(
        at path: String, _ body: (borrowing Descriptor) throws(ReplicationError) -> Value
    ) throws(ReplicationError) -> Value {
        try held.withLock { held throws(ReplicationError) in
            if let status = try FileStatus.ofLink(at: path), let known = held[Key(status)] {
                return try body(Descriptor(borrowed: known.descriptor))
            }
            return try body(Descriptor(file: path))
        }
    }
}
