import Glibc

extension Ending {
    /// Ends the process with the exit code or the signal, which the parent process sees.
    ///
    /// Close the terminal first.
    public func exit() -> Never {
        switch self {
        case .finished(let code): Glibc.exit(code)
        case .signal(let number):
            var action = sigaction()
            action.__sigaction_handler.sa_handler = SIG_DFL
            sigaction(number, &action, nil)
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, number)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            // Send the signal to this thread. If it were sent to the process, another thread could
            // receive it while this thread exits.
            raise(number)
            // Only reached if the signal is blocked.
            Glibc.exit(128 + number)
        case .hangUp: Glibc.exit(128 + SIGHUP)
        }
    }
}
