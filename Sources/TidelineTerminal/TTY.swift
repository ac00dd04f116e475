import Glibc
import TidelineUI

/// The terminal as a file (tty): input, output, size and modes.
struct TTY {
    let input: Int32
    let output: Int32
    /// The descriptors to close together with the tty.
    private let opened: [Int32]

    /// Opens standard input and output if both are terminals, or else the controlling terminal.
    init() throws(TerminalError) {
        if isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
            input = STDIN_FILENO
            output = STDOUT_FILENO
            opened = []
            return
        }
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw TerminalError(
                .notATerminal,
                "no terminal for the screen; use a command that prints its result")
        }
        input = descriptor
        output = descriptor
        opened = [descriptor]
    }

    func close() {
        for descriptor in opened { _ = Glibc.close(descriptor) }
    }

    /// The size of the window; `nil` if unknown.
    var size: Size? {
        var window = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
        else { return nil }
        return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    var attributes: termios? {
        var attributes = termios()
        return tcgetattr(input, &attributes) == 0 ? attributes : nil
    }

    func setAttributes(_ attributes: termios, when: Int32 = TCSADRAIN) {
        var attributes = attributes
        while tcsetattr(input, when, &attributes) != 0, errno == EINTR {}
    }

    /// Writes all bytes, bypassing ncurses. Returns `false` if the terminal is closed.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, 1000)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    enum ReadResult {
        case bytes([UInt8])
        case nothing
        case hangUp
    }

    /// Reads the available input, at most 64 KiB. Call this when `poll` reports input.
    func read() -> ReadResult {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = buffer.withUnsafeMutableBytes { Glibc.read(input, $0.baseAddress, $0.count) }
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? .nothing : .hangUp
    }
}
