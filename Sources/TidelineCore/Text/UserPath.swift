import Foundation
import Glibc

/// Paths as typed by users.
package enum UserPath {
    /// Returns the path with `~` expanded.
    package static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return home(ProcessInfo.processInfo.environment) + path.dropFirst()
    }

    /// Returns the user's home folder: `HOME` or, if that isn't an absolute path, the folder of the
    /// user's account.
    package static func home(_ environment: [String: String]) -> String {
        if let home = environment["HOME"], home.hasPrefix("/") { return home }
        // `NSHomeDirectory` returns a relative `HOME`, too.
        guard let user = getpwuid(getuid()), let folder = user.pointee.pw_dir else { return "/" }
        return String(cString: folder)
    }
}
