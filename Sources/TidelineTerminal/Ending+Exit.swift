import Glibc

extension Ending {
    /// Ends the process so that whoever started it sees why: with the exit code, or by the signal.
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
            // To this thread: sent to the process, another could take it while this one exits.
            raise(number)
            // Not reached unless somebody holds the signal back.
            Glibc.exit(128 + number)
        case .hangUp: Glibc.exit(128 + SIGHUP)
        }
    }
}
