import Glibc

/// A pipe whose descriptor is readable while there is something to do.
package final class WakePipe: Sendable {
    private let ends: PipeEnds

    package init() throws(ReplicationError) {
        guard let ends = PipeEnds(isBlocking: false) else {
            throw ReplicationError(system: errno, "open", "a pipe")
        }
        self.ends = ends
    }

    deinit {
        close(ends.reading)
        close(ends.writing)
    }

    package var descriptor: Int32 { ends.reading }

    /// Makes the descriptor readable until ``rest()``.
    package func send() {
        var byte: UInt8 = 1
        _ = write(ends.writing, &byte, 1)
    }

    /// Makes the descriptor unreadable until the next ``send()``.
    package func rest() {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        while read(descriptor, &bytes, bytes.count) == bytes.count {}
    }
}
