import Foundation
import Glibc

/// An open file descriptor, which is closed when it goes out of scope.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32
    private let isBorrowed: Bool

    /// Takes ownership of a descriptor that a system call returned.
    ///
    /// - Parameter path: The path for the error if `number` is negative. The reason is taken from
    ///   `errno`.
    init(_ number: Int32, _ path: String) throws(ReplicationError) {
        guard number >= 0 else { throw ReplicationError(system: errno, "open", path) }
        self.number = number
        isBorrowed = false
    }

    /// Uses a descriptor that other code owns and closes.
    init(borrowed number: Int32) {
        self.number = number
        isBorrowed = true
    }

    deinit {
        if !isBorrowed { close(number) }
    }

    /// Opens an existing folder. Symbolic links on the way are followed, because users may keep
    /// their packages anywhere. Nothing inside a package is opened this way.
    init(folder path: String) throws(ReplicationError) {
        try self.init(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path)
    }

    /// Opens the regular file at `path` for reading. The file itself must not be a symbolic link.
    ///
    /// Refuses anything but a regular file. Never blocks, although opening a pipe normally does.
    init(file path: String) throws(ReplicationError) {
        self = try Self.regularFile(path, in: AT_FDCWD, path: path)
    }

    /// Opens the folder `name` inside this one, never through a symbolic link.
    func folder(_ name: String, path: String) throws(ReplicationError) -> Descriptor {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let opened = openat(number, name, flags)
        // The kernel reports a symbolic link as "not a directory". Report it as a symbolic link.
        if opened < 0, errno == ENOTDIR {
            throw try FileStatus.of(name, in: self, path: path)?.isSymbolicLink == true
                ? ReplicationError(system: ELOOP, "open", path)
                : ReplicationError(system: ENOTDIR, "open", path)
        }
        return try Descriptor(opened, path)
    }

    /// Opens the regular file `name` inside this folder, as ``init(file:)`` does.
    func file(_ name: String, path: String) throws(ReplicationError) -> Descriptor {
        try Self.regularFile(name, in: number, path: path)
    }

    private static func regularFile(
        _ name: String, in folder: Int32, path: String
    ) throws(ReplicationError) -> Descriptor {
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try Descriptor(openat(folder, name, flags), path)
        guard try file.status(path).isRegularFile else {
            throw ReplicationError(.unreadable, "\(path) is not a regular file")
        }
        return file
    }

    func status(_ path: String) throws(ReplicationError) -> FileStatus {
        var raw = stat()
        guard fstat(number, &raw) == 0 else {
            throw ReplicationError(system: errno, "examine", path)
        }
        return FileStatus(raw)
    }

    /// Flushes a file's data or a folder's names to disk, so that they survive a power failure.
    func synchronize(_ path: String) throws(ReplicationError) {
        guard fsync(number) == 0 else {
            throw ReplicationError(system: errno, "flush", path)
        }
    }

    /// Flushes a change of the names in this folder to disk, so that it survives a power failure.
    /// It is already visible and remains even if this method fails.
    ///
    /// - Parameter path: The path that was renamed, created, or deleted.
    /// - Throws: ``ReplicationError``, `.unconfirmed`.
    func confirmChange(of path: String) throws(ReplicationError) {
        do {
            try synchronize(path)
        } catch {
            throw ReplicationError(unconfirmedAt: path, cause: error)
        }
    }

    /// Reads up to `count` bytes from `offset`, or fewer at the end of the file.
    func read(_ count: Int, at offset: Int64, _ path: String) throws(ReplicationError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            (filled, failure) = fill(UnsafeMutableRawBufferPointer(buffer), from: Int(offset))
        }
        guard failure == 0 else { throw ReplicationError(system: failure, "read", path) }
        return bytes
    }

    /// Reads bytes until a buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes, and the system's error number if reading failed.
    func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from offset: Int = 0
    ) -> (count: Int, failure: Int32) {
        var filled = 0
        while filled < buffer.count, let base = buffer.baseAddress {
            let got = pread(number, base + filled, buffer.count - filled, offset + filled)
            if got == 0 { break }
            if got > 0 {
                filled += got
            } else if errno != EINTR {
                return (filled, errno)
            }
        }
        return (filled, 0)
    }

    /// Writes all of `bytes` from `offset`.
    func write(
        _ bytes: [UInt8], at offset: Int64, _ path: String
    ) throws(ReplicationError) {
        guard lseek(number, Int(offset), SEEK_SET) >= 0 else {
            throw ReplicationError(system: errno, "write", path)
        }
        try write(bytes, path)
    }

    /// Appends all of `bytes`.
    func write(_ bytes: some ContiguousBytes, _ path: String) throws(ReplicationError) {
        let failure = bytes.withUnsafeBytes { writeAll($0, to: number) }
        guard failure == 0 else { throw ReplicationError(system: failure, "write", path) }
    }
}
