package import Foundation
import Glibc

/// Files that are read and written as a whole, by paths of people: symbolic links are followed.
package enum WholeFile {
    /// The bytes of the regular file at `path`. Anything else is refused without waiting for it.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, `.unreadable` for a folder or
    ///   the like, `.tooLarge` beyond `limit` bytes, `.incomplete` for a file that changes while it
    ///   is read.
    package static func read(_ path: String, limit: Int64) throws(ReplicationError) -> Data {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try Descriptor(open(path, flags), path)
        guard try file.status(path).isRegularFile else {
            throw ReplicationError(.unreadable, "\(path) is no regular file")
        }
        return try file.contents(path, limit: limit)
    }

    /// Writes a file in one step: whoever looks sees what was there before, or all of `bytes`.
    ///
    /// A file that is there keeps its permissions.
    ///
    /// - Throws: ``ReplicationError``: `.cannotCreate` where something else than a file is there,
    ///   `.notFound` for a folder that is missing, `.noPermission`, `.inputOutput`; nothing is left
    ///   behind then.
    package static func write(_ bytes: Data, to path: String) throws(ReplicationError) {
        // A symbolic link stays one: what it leads to is replaced.
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        var mode: mode_t?
        var status = stat()
        if stat(path, &status) == 0 {
            guard FileStatus(status).isRegularFile else {
                throw ReplicationError(.cannotCreate, "Something else than a file is at \(path)")
            }
            mode = status.st_mode & 0o7777
        }
        let temporary = "\(path).tideline-\(UInt32.random(in: 0 ... .max))"
        let file = try Descriptor(
            open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666), path)
        do throws(ReplicationError) {
            try file.write(bytes, path)
            if let mode, fchmod(file.number, mode) != 0 {
                throw ReplicationError(system: errno, "write", path)
            }
            try file.synchronize(path)
            guard rename(temporary, path) == 0 else {
                throw ReplicationError(system: errno, "write", path)
            }
        } catch {
            unlink(temporary)
            throw error
        }
    }
}

extension WholeFile {
    /// What the file at `path` holds, which is `bytes` where there was none, or an empty one.
    ///
    /// Of several processes that ask at once one writes, and all get what it wrote.
    ///
    /// - Throws: ``ReplicationError``, as ``read(_:limit:)`` and ``write(_:to:)``.
    package static func settle(
        _ bytes: Data, at path: String, limit: Int64
    ) throws(ReplicationError) -> Data {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try Descriptor(open(path, flags, 0o666), path)
        guard try file.status(path).isRegularFile else {
            throw ReplicationError(.unreadable, "\(path) is no regular file")
        }
        // A file system without locks leaves what is there already, which is nearly always it.
        while flock(file.number, LOCK_EX) != 0, errno == EINTR {}
        let known = try file.contents(path, limit: limit)
        guard known.isEmpty else { return known }
        try file.write(bytes, path)
        try file.synchronize(path)
        return bytes
    }
}
