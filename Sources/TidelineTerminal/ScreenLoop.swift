import Glibc
import TidelineUI

/// A loop that runs a program on a terminal: it waits for events, passes them to the program and
/// draws. The loop wakes for the keyboard, signals and its mailbox, and for nothing else. When
/// idle, it uses no CPU. The effects of keys are drawn at once. Very many messages may arrive, so
/// their effects are drawn at most thirty times per second. After a pause, a few frames may be
/// drawn faster, for example a frame for a changed row and then a frame for its content. All
/// pending input is processed before a frame is drawn.
public struct ScreenLoop<Program: ScreenProgram>: ~Copyable {
    private let terminal: Terminal
    private let mailbox: Mailbox<Program.Message>
    /// The running program.
    public private(set) var program: Program
    /// The time until which the frames drawn so far use up the allowed frame rate. Each frame moves
    /// this time forward by ``frameTime``.
    private var paidUntil = ContinuousClock.now
    private var needsFrame = true
    private var isUrgent = true
    private var lastSize: Size?

    private static var frameTime: Duration { .milliseconds(33) }
    /// The longest time before ``paidUntil`` at which a frame may be drawn.
    private static var credit: Duration { frameTime * 2 }

    /// Creates a loop.
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
        // Input that arrived while the terminal was being queried may be incomplete.
        var inputEnd = terminal.decoder.patience.duration.map { ContinuousClock.now + $0 }
        send(terminal.early)
        terminal.early = []
        while true {
            reportTerminalChanges()
            if let code = program.exitCode { return .finished(code) }
            drawIfDue()
            switch wait(until: nextInstant(inputEnd)) {
            case .failed: return .hangUp
            case .ready(let input, let signal, let mail):
                if signal, let ending = handleSignals() { return ending }
                if input {
                    guard let inputs = terminal.receive() else { return .hangUp }
                    take(inputs)
                    inputEnd = terminal.decoder.patience.duration.map { .now + $0 }
                } else if let end = inputEnd, end <= .now {
                    take(terminal.finishInput())
                    inputEnd = nil
                }
                if mail {
                    for message in mailbox.take() { deliver(.message(message)) }
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
            pollfd(fd: terminal.tty.input, events: events, revents: 0),
            pollfd(fd: terminal.signals.descriptor, events: events, revents: 0),
            pollfd(fd: mailbox.descriptor, events: events, revents: 0),
        ]
        let timeout = instant.map { ($0 - .now).pollMilliseconds } ?? -1
        let count = poll(&waiting, nfds_t(waiting.count), timeout)
        if count < 0 {
            return errno == EINTR ? .ready(input: false, signal: true, mail: false) : .failed
        }
        // A closed terminal counts as readable, and reading from it reports the end.
        return .ready(
            input: waiting[0].revents != 0, signal: waiting[1].revents != 0,
            mail: waiting[2].revents != 0)
    }

    /// Returns the time until which to wait for an event: for the rest of incomplete input, or for
    /// the next frame.
    private func nextInstant(_ inputEnd: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
        let frame = needsFrame ? paidUntil - Self.credit : nil
        return [inputEnd, frame].compactMap(\.self).min()
    }

    // MARK: Drawing

    private mutating func drawIfDue() {
        guard needsFrame else { return }
        let now = ContinuousClock.now
        if !isUrgent, now < paidUntil - Self.credit { return }
        terminal.painter.draw(program.draw(size: terminal.size))
        // Frames for keys delay the next frame for messages by at most ``frameTime``.
        paidUntil = min(max(paidUntil, now), now + Self.credit) + Self.frameTime
        needsFrame = false
        isUrgent = false
    }

    private mutating func send(_ inputs: [Input]) {
        for input in inputs { deliver(.input(input), isUrgent: true) }
    }

    /// Passes an event to the program. The effect of an urgent event is drawn at once.
    private mutating func deliver(
        _ event: ScreenEvent<Program.Message>, isUrgent urgent: Bool = false
    ) {
        program.receive(event, on: terminal)
        needsFrame = true
        if urgent { isUrgent = true }
    }

    /// Passes input to the program, and the background if the terminal reported it.
    private mutating func take(_ inputs: [Input]) {
        send(inputs)
        if let appearance = terminal.takeNewAppearance() {
            deliver(.appearance(appearance), isUrgent: true)
        }
    }

    // MARK: Signals

    private mutating func handleSignals() -> Ending? {
        for signal in terminal.signals.take() {
            switch signal {
            case SIGWINCH: terminal.updateSize()
            case SIGTSTP: terminal.stop()
            // The process continues after SIGSTOP. The shell has set its own modes.
            case SIGCONT: terminal.resume()
            case SIGINT:
                deliver(.interrupt, isUrgent: true)
            default: return .signal(signal)
            }
        }
        return nil
    }

    /// Reports to the program that the terminal was regained or resized.
    private mutating func reportTerminalChanges() {
        if terminal.hasReturned {
            terminal.hasReturned = false
            deliver(.resumed, isUrgent: true)
        }
        if terminal.size != lastSize {
            let size = terminal.size
            lastSize = size
            send([.resize(columns: size.columns, rows: size.rows)])
        }
    }
}
