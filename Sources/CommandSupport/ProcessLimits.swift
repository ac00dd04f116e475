import Glibc
import Replication

/// The limits of the process, checked before the program starts threads and opens files.
///
/// If Dispatch can't open its own files, it ends the process with SIGILL. If it can't start a
/// thread, it tries again forever.
enum ProcessLimits {
    /// The number of files that Dispatch and a command open at the same time.
    private static let fileCount = 8

    /// The reason why the program can't run; `nil` if it can.
    static var problem: Failure? {
        guard canOpenFiles else {
            return Failure(
                .inputOutput, "start", String(cString: strerror(EMFILE)).lowercased(),
                suggestion: "raise the limit of open files, for example with: ulimit -n 256")
        }
        var thread = pthread_t()
        let reason = pthread_create(&thread, nil, { _ in nil }, nil)
        guard reason == 0 else {
            return Failure(
                .inputOutput, "start",
                "can't start a thread: \(String(cString: strerror(reason)).lowercased())",
                suggestion: "end other programs, or raise the limit of processes with: ulimit -u")
        }
        pthread_join(thread, nil)
        return nil
    }

    private static var canOpenFiles: Bool {
        var opened: [Int32] = []
        defer { for number in opened { close(number) } }
        while opened.count < fileCount {
            let number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
            guard number >= 0 else { return errno != EMFILE }
            opened.append(number)
        }
        return true
    }
}
