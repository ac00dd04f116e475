import Glibc

/// A file that holds standard error while the program draws on the screen. Its content, such as
/// lines that a library prints or the message of a crash, is printed when the screen ends.
struct ErrorHold {
    private let file: Int32
    private let original: Int32

    /// Starts to hold standard error if it is a terminal; otherwise returns `nil`.
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

    /// Redirects standard error to the file.
    func hold() { dup2(file, STDERR_FILENO) }

    /// Restores standard error and prints the held messages.
    func release() { RestorePlan.replayErrors(to: original) }

    /// Restores standard error permanently.
    func end() {
        release()
        RestorePlan.shared.pointee.heldErrors = -1
        RestorePlan.shared.pointee.errorOutput = -1
        close(file)
        close(original)
    }
}
