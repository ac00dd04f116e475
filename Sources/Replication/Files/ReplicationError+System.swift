import Foundation
import Glibc

extension ReplicationError {
    /// The error for a failed system call.
    ///
    /// - Parameters:
    ///   - number: `errno` as the call left it.
    ///   - action: What was tried, as a verb ("open", "read").
    init(system number: Int32, _ action: String, _ path: String) {
        let reason = String(cString: strerror(number))
        let cause = POSIXErrorCode(rawValue: number).map { POSIXError($0) }
        let code: Code =
            switch number {
            case ENOENT: .notFound
            case EACCES, EPERM, EROFS: .noPermission
            case ELOOP: .unsafePath
            default: .inputOutput
            }
        let explained =
            number == ELOOP
            ? "Cannot \(action) \(path): a symbolic link is not followed here"
            : "Cannot \(action) \(path): \(reason)"
        self.init(code, explained, cause: cause)
    }
}
