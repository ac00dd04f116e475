import Glibc

/// Keeps standard error off the screen while the program draws on it, and shows it afterwards: a
/// line that a library prints, the message of a crash.
struct ErrorHold {
    private let file: Int32
    private let original: Int32

    /// Starts to hold, when standard error is a terminal; `nil` otherwise.
    init?() {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        var template = Array("/tmp/tideline-errors-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { return nil }
        unlink(template)
        let original = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10)
        guard original >= 0 else {
            close(file)
            return nil
        }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        self.file = file
        self.original = original
        RestorePlan.shared.pointee.heldErrors = file
        RestorePlan.shared.pointee.errorOutput = original
        hold()
    }

    /// Sends standard error to the file.
    func hold() { dup2(file, STDERR_FILENO) }

    /// Sends standard error where it went before, what was held first.
    func release() { RestorePlan.replayErrors(to: original) }

    /// Ends holding for good.
    func end() {
        release()
        RestorePlan.shared.pointee.heldErrors = -1
        RestorePlan.shared.pointee.errorOutput = -1
        close(file)
        close(original)
    }
}
