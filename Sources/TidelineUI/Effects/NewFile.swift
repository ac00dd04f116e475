import Glibc
import Replication

/// A new file that appears under its final name once it is complete. If it isn't finished, nothing
/// of it is left.
final class NewFile {
    private let path: String
    private let temporary: String
    private let file: Int32

    /// Creates a temporary file next to the final path.
    ///
    /// - Throws: ``RequestFailure`` if `path` exists or the file can't be created.
    init(_ path: String) throws(RequestFailure) {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw Self.exists(path) }
        let temporary = "\(path).tideline-\(UInt32.random(in: 0 ... .max))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = open(temporary, flags, 0o666)
        guard file >= 0 else { throw Self.failure(path) }
        (self.path, self.temporary, self.file) = (path, temporary, file)
    }

    deinit {
        close(file)
        unlink(temporary)
    }

    func write(_ bytes: [UInt8]) throws(RequestFailure) {
        let failure = bytes.withUnsafeBytes { writeAll($0, to: file) }
        guard failure == 0 else { throw Self.failure(path, failure) }
    }

    /// Gives the file its final name.
    ///
    /// - Throws: ``RequestFailure`` if the path exists by now. That file is left unchanged.
    func finish() throws(RequestFailure) {
        guard fsync(file) == 0 else { throw Self.failure(path) }
        // Unlike renaming, linking never replaces an existing file.
        if link(temporary, path) == 0 { return }
        if errno == EEXIST { throw Self.exists(path) }
        // On file systems without links, the name is reserved first.
        let place = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard place >= 0 else {
            throw errno == EEXIST ? Self.exists(path) : Self.failure(path)
        }
        close(place)
        guard rename(temporary, path) == 0 else { throw Self.failure(path) }
    }

    private static func exists(_ path: String) -> RequestFailure {
        RequestFailure(.other, "\(path) already exists; choose another name")
    }

    private static func failure(_ path: String, _ number: Int32 = errno) -> RequestFailure {
        RequestFailure(system: number, "can't write \(path)")
    }
}
