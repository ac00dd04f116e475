import Foundation
import Glibc
import Replication

/// A new package in a temporary folder next to the path where it appears once it is complete. The
/// folder's name contains the computer's name and the process ID.
struct UnfinishedPackage {
    /// The path of the temporary folder.
    let path: String
    private let target: String

    /// Chooses the temporary folder. Deletes the temporary folders of this computer's processes
    /// that no longer run.
    init(of target: String) {
        self.target = target
        let url = URL(fileURLWithPath: target)
        let folder = url.deletingLastPathComponent()
        let computer = ProcessInfo.processInfo.hostName
        let prefix = ".\(url.lastPathComponent).tideline-\(computer)-"
        path = folder.appending(path: "\(prefix)\(getpid())").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            guard let process = pid_t(name.dropFirst(prefix.count)), process > 0,
                process == getpid() || kill(process, 0) != 0 && errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    /// Moves the complete package to its path.
    func finish() throws(CoreError) {
        guard rename(path, target) == 0 else {
            throw CoreError(
                .cannotCreate, at: target, String(cString: strerror(errno)).lowercased())
        }
    }

    /// Deletes the temporary folder, if it still exists.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Returns an error that names the new package, because the user doesn't know the temporary
    /// folder.
    func explained(_ error: any Error) -> any Error {
        guard let error = error as? ReplicationError, error.subject?.hasPrefix(path) == true else {
            return error
        }
        return ReplicationError(error.code, at: target, error.reason, cause: error.cause)
    }
}
