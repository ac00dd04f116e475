import Foundation
import Glibc
import Replication
import TidelineCore

/// A file that was not there, which appears under its name when it is complete.
final class NewFile {
    private let path: String
    private let temporary: String
    private let file: Descriptor

    /// - Throws: ``RequestFailure`` where anything is at `path`, or nothing can be made there.
    init(_ path: String) throws {
        var status = stat()
        if lstat(path, &status) == 0 {
            throw RequestFailure(.other, "\(path) exists already; name another file")
        }
        self.path = path
        temporary = "\(path).tideline-\(UInt32.random(in: 0 ... .max))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        file = try Descriptor(open(temporary, flags, 0o666), path)
    }

    func write(_ bytes: [UInt8]) throws { try file.write(Data(bytes), path) }

    /// Gives the file its name.
    ///
    /// - Throws: ``RequestFailure`` where something came there meanwhile; it stays as it is.
    func finish() throws {
        try file.synchronize(path)
        // A link, unlike a renaming, does not replace what is there.
        if link(temporary, path) == 0 {
            unlink(temporary)
            return
        }
        let problem = errno
        if problem == EEXIST {
            throw RequestFailure(.other, "\(path) exists already; name another file")
        }
        // A file system without links.
        guard renameat2(AT_FDCWD, temporary, AT_FDCWD, path, 1) == 0 else {
            throw ReplicationError(system: errno == EINVAL ? problem : errno, "write", path)
        }
    }

    /// Leaves nothing behind.
    func discard() { unlink(temporary) }
}

/// Paths as people type them.
enum UserPath {
    /// The path with `~` as the home folder of the user.
    static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        let home = ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
        return home + path.dropFirst()
    }
}
