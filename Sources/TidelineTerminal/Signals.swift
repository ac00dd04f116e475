import Glibc
import Replication
import Synchronization

/// The signals that the screen handles. Signals that end, stop or resize the screen are passed to
/// its loop. Crash signals restore the terminal before the crash proceeds.
struct Signals {
    /// Readable when a signal has arrived.
    let descriptor: Int32

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private static let relayed = ending + [SIGTSTP, SIGCONT, SIGWINCH]
    private static let crashes = [SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSYS]

    private let writing: Int32
    private let stack: UnsafeMutableRawPointer
    private var saved: [Int32: sigaction] = [:]

    init() throws(TerminalError) {
        guard let pipe = PipeEnds(isBlocking: false) else {
            throw TerminalError(.failed, "can't create a pipe: too many files are open")
        }
        descriptor = pipe.reading
        writing = pipe.writing
        RestorePlan.shared.pointee.relay = writing
        RestorePlan.shared.pointee.pending.store(0, ordering: .releasing)
        // A separate stack, so that a stack overflow restores the terminal as well.
        stack = .allocate(byteCount: 65536, alignment: 16)
        var alternative = stack_t()
        alternative.ss_sp = stack
        alternative.ss_size = 65536
        sigaltstack(&alternative, nil)
        // A crash whose signal is blocked ends the process without calling the handler.
        var crashing = sigset_t()
        sigemptyset(&crashing)
        for signal in Self.crashes { sigaddset(&crashing, signal) }
        pthread_sigmask(SIG_UNBLOCK, &crashing, nil)
        for signal in Self.crashes {
            let old = replace(signal, flags: SA_SIGINFO | SA_ONSTACK) {
                $0.sa_sigaction = handleCrash
            }
            RestorePlan.shared.pointee.previous[Int(signal)] = old
            saved[signal] = old
        }
        for signal in Self.relayed {
            var old = sigaction()
            sigaction(signal, nil, &old)
            saved[signal] = old
        }
    }

    /// Installs handlers for signals that aren't crashes.
    ///
    /// Call this before initializing ncurses, which doesn't replace existing handlers. Otherwise
    /// ncurses would ignore SIGTSTP while drawing, and lose a ^Z pressed during that time.
    func install() {
        for signal in Self.relayed {
            // A signal that was ignored at the start, for example by nohup, is still ignored.
            if saved[signal].map(Self.isIgnored) ?? false, signal != SIGWINCH, signal != SIGCONT {
                continue
            }
            _ = replace(signal, flags: SA_RESTART | SA_ONSTACK) { $0.sa_handler = relaySignal }
        }
    }

    /// Restores the previous handlers and closes the pipe. A signal that the program ignores by now
    /// is still ignored.
    mutating func uninstall() {
        for (signal, var action) in saved {
            var current = sigaction()
            sigaction(signal, nil, &current)
            if !Self.isIgnored(current) { sigaction(signal, &action, nil) }
        }
        saved = [:]
        RestorePlan.shared.pointee.relay = -1
        close(descriptor)
        close(writing)
        var alternative = stack_t()
        alternative.ss_flags = Int32(SS_DISABLE)
        sigaltstack(&alternative, nil)
        stack.deallocate()
    }

    /// Whether a signal that ends the program has arrived.
    var hasEnding: Bool {
        let pending = RestorePlan.shared.pointee.pending.load(ordering: .acquiring)
        return Self.ending.contains { pending & (1 << UInt64($0)) != 0 }
    }

    /// Takes the signals that have arrived.
    func take() -> [Int32] {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return [] }
        let signals = buffer[..<count].map { Int32($0) }
        for signal in signals {
            RestorePlan.shared.pointee.pending.bitwiseAnd(
                ~(1 << UInt64(signal)), ordering: .acquiringAndReleasing)
        }
        return signals
    }

    /// Runs a closure while another program uses the terminal. The interrupt and stop keys belong
    /// to that program.
    func yieldingKeys<Result>(_ body: () throws -> Result) rethrows -> Result {
        var old: [(Int32, sigaction)] = []
        // Use a handler that does nothing. The other program would inherit an ignored signal, but
        // not a handler. A handler for SIGCONT interrupts `poll`, so that the caller can regain the
        // terminal after a stop.
        for signal in [SIGINT, SIGQUIT, SIGCONT] {
            old.append((signal, replace(signal) { $0.sa_handler = { _ in } }))
        }
        old.append((SIGTSTP, replace(SIGTSTP) { $0.sa_handler = SIG_DFL }))
        defer { for (signal, var action) in old { sigaction(signal, &action, nil) } }
        return try body()
    }

    /// Stops the process, as ^Z does, until it is continued.
    func stopProcess() {
        // Resuming regains the terminal, so the SIGCONT that ends the stop needs no handling.
        var stop = replace(SIGTSTP) { $0.sa_handler = SIG_DFL }
        var resume = replace(SIGCONT) { $0.sa_handler = SIG_DFL }
        // Send the signal to this thread and unblock it. If it were sent to the process, another
        // thread could receive it, and this thread could regain the terminal before stopping.
        var stopping = sigset_t()
        var before = sigset_t()
        sigemptyset(&stopping)
        sigaddset(&stopping, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &stopping, &before)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        sigaction(SIGCONT, &resume, nil)
        sigaction(SIGTSTP, &stop, nil)
    }

    /// Sets a signal's handler and returns the previous handler.
    private func replace(
        _ signal: Int32, flags: Int32 = SA_RESTART,
        _ handler: (inout sigaction.__Unnamed_union___sigaction_handler) -> Void
    ) -> sigaction {
        var action = sigaction()
        var old = sigaction()
        sigemptyset(&action.sa_mask)
        action.sa_flags = flags
        handler(&action.__sigaction_handler)
        sigaction(signal, &action, &old)
        return old
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// Passes a signal to the loop. If the loop hasn't handled a signal that ends the program before
/// the same signal arrives again, the loop isn't responding, and this function ends the program.
/// SIGHUP is an exception: when a terminal is closed, both the kernel and the shell send it, while
/// the program is saving its state.
private func relaySignal(_ signal: Int32) {
    let savedError = errno
    let plan = RestorePlan.shared
    let bit = UInt64(1) << UInt64(signal)
    let before = plan.pointee.pending.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue
    if before & bit == 0 {
        var byte = UInt8(truncatingIfNeeded: signal)
        write(plan.pointee.relay, &byte, 1)
    } else if signal == SIGINT || signal == SIGTERM || signal == SIGQUIT {
        RestorePlan.restoreNow()
        Glibc.signal(signal, SIG_DFL)
        raise(signal)
    }
    errno = savedError
}

/// Restores the terminal, then lets the signal end the process as usual.
private func handleCrash(
    _ signal: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
    RestorePlan.restoreNow()
    sigaction(signal, RestorePlan.shared.pointee.previous + Int(signal), nil)
    // An instruction that failed fails again when the handler returns. A signal that a program
    // sent, such as that of `abort`, must be sent again.
    if info.map({ $0.pointee.si_code <= 0 }) ?? true { raise(signal) }
}
