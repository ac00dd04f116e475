import Glibc

/// The signals that ask a program to end.
enum EndingSignals {
    /// SIGINT and SIGTERM, except those that were ignored when the program started. A shell without
    /// job control, for example in a script, starts `command &` with SIGINT ignored.
    ///
    /// Read this before changing how the program handles one of these signals.
    static let handled: [CInt] = [SIGINT, SIGTERM].filter { number in
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            != unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
