package import Foundation
import Glibc

/// A file to which several processes append lines. A separate lock file orders their writes. Only
/// the file's owner can read it.
package struct LockedFile: Sendable {
    private let path: String

    package init(_ path: String) { self.path = path }

    /// Appends `line`, which ends with a line feed. It is on disk when this returns.
    ///
    /// A truncated last line is terminated first. If the file would exceed `limit` bytes, the
    /// oldest lines are removed in one step. The file then has at most three quarters of the limit.
    ///
    /// - Throws: ``ReplicationError``. After an error, no part of the line is in the file.
    package func append(_ line: Data, limit: Int) throws(ReplicationError) {
        let lock = try Descriptor(open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600), path)
        // On a file system without locks, this call doesn't block. Each line is still appended by a
        // single system call.
        while flock(lock.number, LOCK_EX) != 0, errno == EINTR {}
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try Descriptor(open(path, flags, 0o600), path)
        let status = try file.status(path)
        guard status.isRegularFile else {
            throw ReplicationError(.unreadable, "\(path) is not a regular file")
        }
        guard fchmod(file.number, 0o600) == 0 else {
            throw ReplicationError(system: errno, "write", path)
        }
        let size = status.byteCount
        if size + Int64(line.count) > Int64(limit) {
            return try keepNewest(line, limit: limit * 3 / 4, of: file)
        }
        var bytes = line
        if size > 0, try file.read(1, at: size - 1, path) != [UInt8(ascii: "\n")] {
            bytes.insert(UInt8(ascii: "\n"), at: 0)
        }
        do throws(ReplicationError) {
            try file.write(bytes, path)
            try file.synchronize(path)
        } catch {
            ftruncate(file.number, Int(size))
            throw error
        }
    }

    private func keepNewest(
        _ line: Data, limit: Int, of file: borrowing Descriptor
    ) throws(ReplicationError) {
        // An oversized file is not read as a whole.
        let size = try file.status(path).byteCount
        let start = max(0, size - Int64(limit))
        var kept = Data(try file.read(Int(min(size, Int64(limit))), at: start, path))
        if start > 0 {
            let end = kept.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? kept.endIndex
            kept = Data(kept[end...])
        }
        if let last = kept.last, last != UInt8(ascii: "\n") {
            kept.append(UInt8(ascii: "\n"))
        }
        // Removes the oldest lines until the new one fits.
        while kept.count + line.count > limit, !kept.isEmpty {
            let end = kept.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? kept.endIndex
            kept = Data(kept[end...])
        }
        try WholeFile.write(kept + line, to: path)
    }
}
