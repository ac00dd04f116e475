import Foundation
import Glibc
import Replication

/// The three standard streams.
enum StandardStreams {
    /// Opens `/dev/null` in place of closed streams. Standard input is opened only for writing, and
    /// the other streams only for reading, so that their usual operations still fail. Without these
    /// placeholders, the next opened file, such as a database, would get the number of a closed
    /// stream and receive the output for that stream.
    static func occupy() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            // The new file gets this number, because it is the lowest free one.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes a line to standard error.
    static func printError(_ line: String) { progress(line + "\n") }

    /// Writes to standard error. Errors are ignored.
    static func progress(_ text: String) {
        var text = text
        text.withUTF8 { _ = writeAll(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
    }

    /// Exits quietly when the reader closes the pipe, for a program that may wait a long time
    /// before it prints again.
    static func endWithReader() {
        Thread.detachNewThread {
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&output, 1, -1) < 0, errno == EINTR {}
            exit(EXIT_SUCCESS)
        }
    }
}
