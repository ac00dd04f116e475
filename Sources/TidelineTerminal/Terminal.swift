import CNcurses
import Glibc
import Synchronization
import TidelineCore
public import TidelineUI

/// The terminal under the program's control, from ``init(options:environment:)`` to ``close()``.
/// One thread creates and uses the terminal. Only one instance can exist at a time. The terminal is
/// also restored if the program ends by an error, a crash, `exit`, or a signal other than SIGKILL.
public final class Terminal {
    /// The user's settings for the terminal.
    public struct Options: Sendable {
        /// Whether to draw frames and symbols in ASCII.
        public var isASCII: Bool
        /// Whether to query the terminal for its background color, to choose a dark or a light
        /// theme.
        public var asksBackground: Bool

        /// Creates the options, by default with all features.
        public init(isASCII: Bool = false, asksBackground: Bool = true) {
            self.isASCII = isASCII
            self.asksBackground = asksBackground
        }
    }

    /// The number of colors for which themes are resolved.
    public let colorDepth: ColorDepth
    /// Whether to draw in ASCII, because of the options or because the locale isn't UTF-8.
    public let isASCII: Bool
    /// The reported background; `nil` until known.
    public internal(set) var appearance: ThemeFile.Appearance?
    /// The size of the screen.
    public internal(set) var size: Size

    let tty: TTY
    let environment: [String: String]
    let canWriteUTF8: Bool
    /// Whether the terminal supports xterm's mouse, bracketed paste and queries.
    let isModern: Bool
    var signals: Signals
    var errors: ErrorHold?
    var decoder = InputDecoder()
    /// Input that arrived while waiting for something else.
    var early: [Input] = []
    var isAwaitingAnswer = false
    var hasReportedBackground = false
    var hasNewAppearance = false
    /// Whether the program regained the terminal from another program since the loop last checked.
    var hasReturned = false
    var painter: Painter
    private let screen: OpaquePointer
    private let files: [UnsafeMutablePointer<FILE>]
    private let original: termios
    private(set) var modes: termios
    private var takesMouse = true
    private var isOpen = true

    private static let isTaken = Atomic<Bool>(false)

    /// Takes control of the terminal.
    ///
    /// - Parameters:
    ///   - options: The user's settings for the terminal.
    ///   - environment: The environment variables, such as `TERM` and `NO_COLOR`.
    /// - Throws: ``TerminalError``. In that case, the terminal is unchanged.
    public init(options: Options = Options(), environment: [String: String]) throws(TerminalError) {
        guard !Self.isTaken.exchange(true, ordering: .acquiringAndReleasing) else {
            throw TerminalError(.failed, "the terminal is in use")
        }
        var isDone = false
        defer { if !isDone { Self.isTaken.store(false, ordering: .releasing) } }

        let tty = try TTY()
        defer { if !isDone { tty.close() } }
        guard let original = tty.attributes else {
            throw TerminalError(.notATerminal, "the terminal doesn't report its modes")
        }
        let type = try Self.checkType(environment["TERM"], output: tty.output)
        canWriteUTF8 = Locale.chooseUTF8()
        isASCII = options.isASCII || !canWriteUTF8
        isModern = Self.understandsXterm(type)

        guard let output = fdopen(dup(tty.output), "w"),
            let input = fdopen(dup(tty.input), "r")
        else { throw TerminalError(.failed, "can't open the terminal") }
        _ = fcntl(fileno(output), F_SETFD, FD_CLOEXEC)
        _ = fcntl(fileno(input), F_SETFD, FD_CLOEXEC)
        files = [output, input]
        var signals = try Signals()

        Self.preparePlan(tty: tty, original: original, isModern: isModern)
        RestorePlan.shared.pointee.isActive.store(true, ordering: .releasing)
        signals.install()
        use_tioctl(true)
        guard let screen = newterm(type, output, input) else {
            RestorePlan.shared.pointee.isActive.store(false, ordering: .releasing)
            signals.uninstall()
            throw TerminalError(.failed, "ncurses can't use the terminal type \(type)")
        }
        self.signals = signals
        self.screen = screen
        self.tty = tty
        self.environment = environment
        self.original = original
        isDone = true

        cbreak()
        noecho()
        nonl()
        leaveok(tideline_screen(), false)
        idlok(tideline_screen(), true)
        var modes = tty.attributes ?? original
        // The kernel still handles ^C, ^Z and ^\, so that they work while the program is busy. ^S,
        // ^Q, ^V and ^O become keys.
        modes.c_lflag &= ~tcflag_t(IEXTEN)
        modes.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP)
        tty.setAttributes(modes)
        def_prog_mode()
        self.modes = modes

        colorDepth = Painter.startColors(environment: environment)
        painter = Painter(colorDepth: colorDepth, canWriteUTF8: canWriteUTF8)
        size = Self.limited(
            tty.size
                ?? Size(
                    columns: Int(tideline_columns()), rows: Int(tideline_rows())))
        decoder.extraKeys = Terminfo.keys
        decoder.eraseByte = withUnsafeBytes(of: original.c_cc) { $0[Int(VERASE)] }
        errors = ErrorHold()
        resizeScreen()
        // Flush pending ncurses output before writing bytes that bypass ncurses. The buffer of
        // ncurses is only as large as the window, and may contain a part of a sequence.
        doupdate()
        switchOn()
        if options.asksBackground { askBackground() }
        atexit { RestorePlan.restoreNow() }
    }

    deinit { close() }

    /// Restores the terminal. Safe to call twice.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        releaseControl()
        errors?.end()
        signals.uninstall()
        delscreen(screen)
        for file in files { fclose(file) }
        tty.close()
        Self.isTaken.store(false, ordering: .releasing)
    }

    // MARK: Suspending

    /// Restores the terminal for another program. Only the content of the screen is lost.
    func releaseControl() {
        tty.write(Self.switchedOff)
        if !tideline_has_screen_of_its_own() {
            // The shell continues below the program's output.
            werase(tideline_screen())
            wrefresh(tideline_screen())
        }
        endwin()
        // If an answer is outstanding, pending input is discarded, so that the answer doesn't
        // appear in the shell's input. Otherwise, pending keys are kept.
        let mayAnswer = isAwaitingAnswer && decoder.awaitsAnswer(at: .now)
        tty.setAttributes(original, when: mayAnswer ? TCSAFLUSH : TCSADRAIN)
        RestorePlan.shared.pointee.isActive.store(false, ordering: .releasing)
        errors?.release()
    }

    /// Regains the terminal and draws everything.
    func resume() {
        errors?.hold()
        RestorePlan.shared.pointee.isActive.store(true, ordering: .releasing)
        tty.setAttributes(modes)
        def_prog_mode()
        updateSize()
        redraw()
        doupdate()
        switchOn()
        hasReturned = true
    }

    private func switchOn() {
        guard isModern else { return }
        tty.write("\u{1B}[?2004h")
        if takesMouse { tty.write(Self.mouseOn) }
    }

    /// Whether the program captures the mouse. The terminal's own selection then needs Shift.
    public var isMouseOn: Bool {
        get { takesMouse }
        set {
            guard newValue != takesMouse else { return }
            takesMouse = newValue
            if isModern { tty.write(newValue ? Self.mouseOn : Self.mouseOff) }
        }
    }

    /// Requests clicks, movement while a button is pressed, and coordinates of any size.
    private static let mouseOn = "\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1006h"
    private static let mouseOff = "\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1000l"
    private static let switchedOff = mouseOff + "\u{1B}[?2004l"

    // MARK: Size

    /// Returns the size, clamped to the sizes that a surface can have.
    private static func limited(_ size: Size) -> Size {
        Size(
            columns: max(1, min(size.columns, Surface.largest.columns)),
            rows: max(1, min(size.rows, Surface.largest.rows)))
    }

    /// Reads the size again.
    func updateSize() {
        guard let new = tty.size.map(Self.limited), new != size else { return }
        size = new
        resizeScreen()
    }

    private func resizeScreen() {
        resizeterm(Int32(size.rows), Int32(size.columns))
        // Draw everything, because resized terminals differ in what they keep.
        redraw()
    }

    // MARK: Starting

    /// Returns the terminal type. Throws an error if that type can't show the screen.
    private static func checkType(_ type: String?, output: Int32) throws(TerminalError) -> String {
        guard let type, !type.isEmpty else {
            throw TerminalError(.unknownType, "TERM is not set, so the terminal type is unknown")
        }
        var result: Int32 = 0
        let shown = Sanitizer.visible(String(type.prefix(60)))
        guard type.utf8.count < 256, setupterm(type, output, &result) == OK else {
            throw TerminalError(
                .unknownType,
                result < 0
                    ? "this machine has no terminal descriptions (terminfo)"
                    : "unknown terminal type “\(shown)” in TERM; try TERM=xterm-256color")
        }
        guard Terminfo.string("cup") != nil, Terminfo.string("clear") != nil else {
            throw TerminalError(
                .tooSimple,
                "a terminal of type “\(shown)” can't show the screen; use a command that prints "
                    + "its result"
            )
        }
        return type
    }

    private static func understandsXterm(_ type: String) -> Bool {
        let kin = [
            "xterm", "tmux", "screen", "rxvt", "foot", "alacritty", "kitty", "wezterm", "ghostty",
            "contour", "konsole", "gnome", "vte", "st", "mintty", "iterm",
        ]
        return kin.contains { type == $0 || type.hasPrefix($0 + "-") || type.hasPrefix($0 + ".") }
            || Terminfo.string("kmous")?.starts(with: [0x1B, 0x5B]) ?? false
    }

    /// Prepares the bytes that a signal handler writes.
    private static func preparePlan(tty: TTY, original: termios, isModern: Bool) {
        var bytes = isModern ? Array(switchedOff.utf8) : []
        for name in ["sgr0", "op", "cnorm", "rmcup"] { bytes += Terminfo.string(name) ?? [] }
        let plan = RestorePlan.shared
        plan.pointee.input = tty.input
        plan.pointee.output = tty.output
        plan.pointee.attributes = original
        plan.pointee.setBytes(bytes + [0x0D])
    }
}
