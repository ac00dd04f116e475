import Glibc
import TidelineUI

/// Runs a program on a terminal: sleeps until something happens, tells the program, draws.
///
/// It wakes for the keyboard, for signals, for its mailbox, and for the instant that the program
/// named, and for nothing else: at rest it takes no CPU. A key is drawn at once; messages, which
/// may come in floods, thirty times a second. After a quiet time a few frames may follow each other
/// faster, as the news that a row has changed and then the row itself do. Everything that has
/// arrived is taken before a frame is drawn.
public struct ScreenLoop<Program: ScreenProgram>: ~Copyable {
    private let terminal: Terminal
    private let mailbox: Mailbox<Program.Message>
    public private(set) var program: Program
    /// When the frames so far are paid for, each with ``frameTime``.
    private var paidUntil = ContinuousClock.now
    private var needsFrame = true
    private var isUrgent = true
    private var lastSize: Size?

    private static var frameTime: Duration { .milliseconds(33) }
    /// How far frames may be ahead of what is paid for.
    private static var credit: Duration { frameTime * 2 }

    public init(
        _ program: Program, on terminal: Terminal, mailbox: Mailbox<Program.Message>
    ) {
        self.program = program
        self.terminal = terminal
        self.mailbox = mailbox
    }

    /// Runs until the program, a signal or the terminal ends it. The terminal stays open.
    public mutating func run() -> Ending {
        defer { mailbox.close() }
        // What was typed while the terminal was asked may have begun something.
        var inputEnd = terminal.decoder.patience.duration.map { ContinuousClock.now + $0 }
        tell(terminal.early)
        terminal.early = []
        while true {
            tellOfTerminal()
            if let code = program.exitCode { return .finished(code) }
            drawIfDue()
            switch wait(until: nextInstant(inputEnd)) {
            case .failed: return .hangUp
            case .ready(let input, let signal, let mail):
                if signal, let ending = handleSignals() { return ending }
                if input {
                    if case .hangUp = take(terminal.receive()) { return .hangUp }
                    inputEnd = terminal.decoder.patience.duration.map { .now + $0 }
                } else if let end = inputEnd, end <= .now {
                    _ = take(terminal.finishInput())
                    inputEnd = nil
                }
                if mail {
                    for message in mailbox.take() {
                        program.receive(.message(message), on: terminal)
                        needsFrame = true
                    }
                }
                if let wake = program.nextWake, wake <= .now {
                    program.receive(.wake, on: terminal)
                    needsFrame = true
                }
            }
        }
    }

    // MARK: Waiting

    private enum Readiness {
        case ready(input: Bool, signal: Bool, mail: Bool)
        case failed
    }

    private func wait(until instant: ContinuousClock.Instant?) -> Readiness {
        let events = Int16(POLLIN)
        var waiting = [
            pollfd(fd: terminal.device.input, events: events, revents: 0),
            pollfd(fd: terminal.signals.descriptor, events: events, revents: 0),
            pollfd(fd: mailbox.descriptor, events: events, revents: 0),
        ]
        let timeout = instant.map { ($0 - .now).pollMilliseconds } ?? -1
        let count = poll(&waiting, nfds_t(waiting.count), timeout)
        if count < 0 {
            return errno == EINTR ? .ready(input: false, signal: true, mail: false) : .failed
        }
        // A terminal that is gone is readable: the read tells.
        return .ready(
            input: waiting[0].revents != 0, signal: waiting[1].revents != 0,
            mail: waiting[2].revents != 0)
    }

    /// The next instant at which there is something to do unasked.
    private func nextInstant(_ inputEnd: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
        var instants = [inputEnd, program.nextWake].compactMap(\.self)
        if needsFrame { instants.append(paidUntil - Self.credit) }
        return instants.min()
    }

    // MARK: Drawing

    private mutating func drawIfDue() {
        guard needsFrame else { return }
        let now = ContinuousClock.now
        if !isUrgent, now < paidUntil - Self.credit { return }
        terminal.painter.draw(program.draw(size: terminal.size))
        // What is drawn for keys puts off what is drawn for messages by one frame at most.
        paidUntil = min(max(paidUntil, now), now + Self.credit) + Self.frameTime
        needsFrame = false
        isUrgent = false
    }

    private mutating func tell(_ inputs: [Input]) {
        for input in inputs {
            program.receive(.input(input), on: terminal)
            needsFrame = true
            isUrgent = true
        }
    }

    private mutating func take(_ arrival: Terminal.Arrival) -> Terminal.Arrival {
        switch arrival {
        case .input(let inputs): tell(inputs)
        case .answered: break
        case .hangUp, .none: return arrival
        }
        if let appearance = terminal.takeNewAppearance() {
            program.receive(.appearance(appearance), on: terminal)
            needsFrame = true
            isUrgent = true
        }
        return arrival
    }

    // MARK: Signals

    private mutating func handleSignals() -> Ending? {
        for signal in terminal.signals.take() {
            switch signal {
            case SIGWINCH: terminal.updateSize()
            case SIGTSTP: terminal.stop()
            // Stopped by what cannot be caught; the shell has set its own modes meanwhile.
            case SIGCONT: terminal.takeBack()
            case SIGINT:
                program.receive(.interrupt, on: terminal)
                needsFrame = true
                isUrgent = true
            default: return .signal(signal)
            }
        }
        return nil
    }

    /// Tells what has become of the terminal, by whatever way.
    private mutating func tellOfTerminal() {
        if terminal.hasReturned {
            terminal.hasReturned = false
            program.receive(.resumed, on: terminal)
            needsFrame = true
            isUrgent = true
        }
        if terminal.size != lastSize {
            let size = terminal.size
            lastSize = size
            tell([.resize(columns: size.columns, rows: size.rows)])
        }
    }
}
