import Foundation
import Glibc

/// The three files that a program is started with.
enum StandardStreams {
    /// Gives those that are closed a file that fails as a closed one does. Otherwise what is opened
    /// next, a database or the copy of a blob, would get their number, and what is printed.
    static func occupy() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            // The lowest free number is this one: those below it are taken by now.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes all of `bytes`.
    ///
    /// - Returns: `errno` where that failed, else zero.
    static func write(_ bytes: UnsafeRawBufferPointer, to number: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = Glibc.write(number, rest.baseAddress, rest.count)
            if count > 0 {
                written += count
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Writes a line to standard error.
    static func tell(_ line: String) { progress(line + "\n") }

    /// Writes to standard error. Where that fails there is nobody to tell.
    static func progress(_ text: String) {
        var text = text
        text.withUTF8 { _ = write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
    }

    /// Ends the program, quietly, once nobody is left who could read what it prints: a program that
    /// waits for something to print would not notice.
    static func endWithReader() {
        Thread.detachNewThread {
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&output, 1, -1) < 0, errno == EINTR {}
            exit(EXIT_SUCCESS)
        }
    }
}
