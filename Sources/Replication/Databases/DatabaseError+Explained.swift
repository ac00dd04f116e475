import GRDB
import Glibc

extension DatabaseError {
    /// Whether the error is about the file, so that the connection must not be used again.
    var isAboutFile: Bool {
        switch resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY:
            true
        default: false
        }
    }

    /// Whether the disk failed or is full.
    var isAboutDisk: Bool { [.SQLITE_IOERR, .SQLITE_FULL].contains(resultCode) }

    /// Returns a ``ReplicationError`` about the file at `path`, or this error if it is about a
    /// statement.
    func explained(_ path: String) -> any Error {
        if resultCode == .SQLITE_BUSY, let error = ReplicationError(missingLocksAt: path) {
            return error
        }
        let reason = message ?? "\(resultCode)"
        let code: ReplicationError.Code
        switch resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: code = .busy
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: code = .unreadable
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: code = .noPermission
        case .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN: code = .inputOutput
        default: return self
        }
        let text =
            switch code {
            case .busy: "locked by another process"
            case .noPermission where access(path, W_OK) != 0 && errno == EROFS:
                "the file system is read-only"
            case .noPermission: "permission denied"
            default: "can't be written: \(reason)"
            }
        return ReplicationError(code, at: path, text, cause: self)
    }
}
