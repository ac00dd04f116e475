import Foundation

/// Paths as typed by users.
package enum UserPath {
    /// Returns the path with `~` expanded.
    package static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        let home = ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
        return home + path.dropFirst()
    }
}
