public import Foundation
import Glibc

extension AutomergeFile {
    /// Writes a file in one step: whoever looks sees what was there before, or all of `bytes`.
    ///
    /// - Throws: ``CoreError``: `.cannotCreate` or `.noPermission`; nothing is left behind then.
    public static func write(_ bytes: Data, to path: String) throws(CoreError) {
        // A symbolic link stays one: what it leads to is replaced.
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        var mode: mode_t?
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw CoreError(.cannotCreate, "something else than a file is there")
            }
            mode = status.st_mode & 0o7777
        }
        let temporary = "\(path).tideline-\(UInt32.random(in: 0 ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(errno) }
        var problem = fill(descriptor, bytes)
        if problem == 0, let mode, fchmod(descriptor, mode) != 0 { problem = errno }
        if problem == 0, fsync(descriptor) != 0 { problem = errno }
        if Glibc.close(descriptor) != 0, problem == 0 { problem = errno }
        if problem == 0, rename(temporary, path) != 0 { problem = errno }
        guard problem == 0 else {
            unlink(temporary)
            throw failure(problem)
        }
    }

    /// - Returns: 0, or the number of the error.
    private static func fill(_ descriptor: Int32, _ bytes: Data) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count, let base = buffer.baseAddress {
                let count = Glibc.write(descriptor, base + written, buffer.count - written)
                if count >= 0 {
                    written += count
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }

    private static func failure(_ code: Int32) -> CoreError {
        switch code {
        case EACCES, EPERM, EROFS: CoreError(.noPermission, "permission denied")
        case ENOENT, ENOTDIR: CoreError(.cannotCreate, "no such folder")
        default: CoreError(.cannotCreate, String(cString: strerror(code)))
        }
    }
}
