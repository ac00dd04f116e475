import Glibc

/// The two ends of a pipe. Other programs don't inherit them by default.
package struct PipeEnds: Sendable {
    package let reading: Int32
    package let writing: Int32

    /// Creates a pipe.
    ///
    /// - Parameter isBlocking: Whether reading waits for bytes, and writing for space.
    /// - Returns: `nil` if no pipe can be created; the reason is in `errno`.
    package init?(isBlocking: Bool) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            if !isBlocking { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        }
    }
}
