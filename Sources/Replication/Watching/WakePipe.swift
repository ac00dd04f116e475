import Glibc

/// A pipe whose descriptor is readable while there is something to do.
final class WakePipe: Sendable {
    private let reading: Int32
    private let writing: Int32

    init() throws(ReplicationError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ReplicationError(system: errno, "open", "a pipe") }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(reading)
        close(writing)
    }

    var descriptor: Int32 { reading }

    /// Makes the descriptor readable until ``rest()``.
    func send() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    /// Makes the descriptor unreadable until the next ``send()``.
    func rest() {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        while read(reading, &bytes, bytes.count) == bytes.count {}
    }
}
