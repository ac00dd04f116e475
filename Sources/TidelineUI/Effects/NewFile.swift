import Foundation
import Glibc

/// A file that was not there, which appears under its name when it is complete.
final class NewFile {
    private let path: String
    private let temporary: String
    private let file: Int32

    /// - Throws: ``RequestFailure`` where anything is at `path`, or nothing can be made there.
    init(_ path: String) throws(RequestFailure) {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw Self.exists(path) }
        self.path = path
        temporary = "\(path).tideline-\(UInt32.random(in: 0 ... .max))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        file = open(temporary, flags, 0o666)
        guard file >= 0 else { throw Self.failure(path) }
    }

    deinit { close(file) }

    func write(_ bytes: [UInt8]) throws(RequestFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Gives the file its name.
    ///
    /// - Throws: ``RequestFailure`` where something came there meanwhile; that stays as it is.
    func finish() throws(RequestFailure) {
        guard fsync(file) == 0 else { throw Self.failure(path) }
        // A link, unlike a renaming, does not replace what is there.
        if link(temporary, path) == 0 {
            unlink(temporary)
            return
        }
        if errno == EEXIST { throw Self.exists(path) }
        // A file system without links: the name is taken first.
        let place = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard place >= 0 else {
            throw errno == EEXIST ? Self.exists(path) : Self.failure(path)
        }
        close(place)
        guard rename(temporary, path) == 0 else { throw Self.failure(path) }
    }

    /// Leaves nothing behind.
    func discard() { unlink(temporary) }

    private static func exists(_ path: String) -> RequestFailure {
        RequestFailure(.other, "\(path) already exists: name another file")
    }

    private static func failure(_ path: String) -> RequestFailure {
        RequestFailure(.other, "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
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
