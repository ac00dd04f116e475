import Foundation
import Glibc

extension ReplicationError {
    /// Creates the error for a failed system call, with the same wording everywhere.
    ///
    /// - Parameters:
    ///   - number: The `errno` of the call.
    ///   - action: The attempted action, as a verb ("open", "read").
    init(system number: Int32, _ action: String, _ path: String) {
        let cause = POSIXErrorCode(rawValue: number).map { POSIXError($0) }
        let code: Code =
            switch number {
            case ENOENT: .notFound
            case EACCES, EPERM, EROFS: .noPermission
            case ELOOP: .unsafePath
            default: .inputOutput
            }
        let reason =
            switch number {
            case ENOENT: "no such file or folder"
            case EACCES, EPERM: "permission denied"
            case ELOOP: "a symbolic link is not followed here"
            default: "can't \(action) it: \(String(cString: strerror(number)).lowercased())"
            }
        self.init(code, at: path, reason, cause: cause)
    }

    /// Creates the error for a symbolic link in place of a file or folder.
    init(linkAt path: String) {
        self.init(.unsafePath, at: path, "it is a symbolic link, which is not followed")
    }

    /// Creates the error for a file or folder that could not be created.
    ///
    /// - Parameter number: The `errno` of the call.
    init(creating path: String, _ number: Int32) {
        let error = ReplicationError(system: number, "create", path)
        switch number {
        case ENOENT, ENOTDIR:
            self.init(
                .cannotCreate, at: path, "its folder doesn't exist", cause: error.cause)
        case EISDIR:
            self.init(
                .cannotCreate, at: path, "a folder with this name exists", cause: error.cause)
        default:
            self.init(
                error.code == .noPermission ? .noPermission : .cannotCreate, at: path,
                error.reason, cause: error.cause)
        }
    }
}
