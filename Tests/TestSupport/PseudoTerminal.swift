public import Glibc
import Synchronization

/// A pseudo-terminal with a program on it. The program's output is read as ``ScreenText``, and the
/// test's input is typed.
public final class PseudoTerminal {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    public let master: Int32
    public private(set) var screen: ScreenText
    /// The complete output of the program.
    public private(set) var output: [UInt8] = []
    public private(set) var process: pid_t = 0
    private var isClosed = false

    /// Opens a terminal and starts a program on it, as leader of a new session.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String],
        columns: Int = 80, rows: Int = 24
    ) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { throw Failure(description: "no pseudo-terminal: \(errno)") }
        screen = ScreenText(columns: columns, rows: rows)
        // TIOCSPTLCK and TIOCGPTN, which are macros that Swift doesn't import.
        var lock: Int32 = 0
        var number: Int32 = 0
        guard ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0
        else { throw Failure(description: "the pseudo-terminal cannot be unlocked") }
        setSize(columns: columns, rows: rows)

        let device = "/dev/pts/\(number)"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that a session leader opens becomes the session's.
        posix_spawn_file_actions_addopen(&actions, 0, device, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigfillset(&defaults)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        let newSession: Int32 = 0x80
        posix_spawnattr_setflags(
            &attributes,
            Int16(newSession | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        let result = RunningProgram.starting.withLock { _ in
            posix_spawn(&process, program, &actions, &attributes, &words, &variables)
        }
        guard result == 0 else {
            throw Failure(description: "\(program) cannot be started: \(result)")
        }
    }

    deinit {
        hangUp()
        if process > 0 {
            kill(process, SIGKILL)
            var status: Int32 = 0
            waitpid(process, &status, 0)
        }
    }

    /// Closes the terminal, as a broken connection does.
    public func hangUp() {
        guard !isClosed else { return }
        isClosed = true
        close(master)
    }

    /// Types text.
    public func type(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// The answer to the program's query for the background color.
    public func answerBackground(_ color: String) { screen.background = color }

    /// The terminal's modes, as the program sees them.
    public var attributes: [UInt8] {
        var attributes = termios()
        guard tcgetattr(master, &attributes) == 0 else { return [] }
        return withUnsafeBytes(of: &attributes) { Array($0) }
    }

    /// Returns the changes that the program left on the terminal, which had `before` as its
    /// ``attributes``.
    public func traces(since before: [UInt8]) -> [String] {
        var traces = screen.modes.map { "mode \($0) is on" }
        if attributes != before { traces.append("its modes are others") }
        if screen.isAlternate { traces.append("the alternate screen") }
        if !screen.isCursorVisible { traces.append("no cursor") }
        return traces + screen.unknown.map { "unknown: \($0)" }
    }

    /// Returns the modes of an untouched terminal.
    public static func untouched() throws -> [UInt8] {
        try PseudoTerminal("/bin/cat", environment: [:]).attributes
    }

    public func setSize(columns: Int, rows: Int) {
        var size = winsize(
            ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        screen.resize(columns: columns, rows: rows)
    }

    /// Reads until the screen satisfies the condition.
    public func wait(
        for what: String, until isSo: (ScreenText) -> Bool
    ) throws {
        let end = ContinuousClock.now + patience
        while !isSo(screen) {
            guard ContinuousClock.now < end, readSome() else {
                throw Failure(
                    description: "no \(what); the screen shows:\n"
                        + screen.lines.joined(separator: "\n"))
            }
        }
    }

    /// Reads until a text is on the screen.
    public func wait(forText text: String) throws {
        try wait(for: "“\(text)”") { screen in screen.lines.contains { $0.contains(text) } }
    }

    /// Whether the program has ended, without collecting its status.
    public var hasEnded: Bool {
        var information = siginfo_t()
        let result = waitid(
            P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT)
        return result == 0 && information.si_signo == SIGCHLD
    }

    /// Reads the remaining output and returns how the program ended: its exit code, or the negated
    /// signal.
    public func end() throws -> Int32 {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            var status: Int32 = 0
            if waitpid(process, &status, WNOHANG) == process {
                process = 0
                while !isClosed, isReadable(within: 0), readSome() {}
                let signal = status & 0x7F
                return signal == 0 ? (status >> 8) & 0xFF : -signal
            }
            if isClosed {
                usleep(2000)
            } else if isReadable(within: 20), !readSome() {
                usleep(2000)
            }
        }
        throw Failure(description: "the program does not end")
    }

    private func isReadable(within milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) > 0 && waiting.revents & Int16(POLLIN) != 0
    }

    /// Reads the available output, waiting up to a second; returns `false` at the end.
    private func readSome() -> Bool {
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        if poll(&waiting, 1, 1000) == 0 { return true }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(master, &buffer, buffer.count)
        guard count > 0 else { return false }
        output += buffer[..<count]
        let answers = screen.feed(buffer[..<count])
        if !answers.isEmpty { type(answers) }
        return true
    }
}
