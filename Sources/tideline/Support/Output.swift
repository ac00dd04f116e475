import Foundation
import Glibc
import TidelineCore

/// Standard output: results, and nothing but results.
///
/// Text is buffered and written when the buffer is full or the command ends. A reader that went
/// away (`tideline … | head`) ends the command quietly.
enum Output {
    nonisolated(unsafe) private static var buffer: [UInt8] = []  // Commands print from one task.
    private static let capacity = 1 << 16

    /// Whether a person reads the results on a terminal: then control characters are made visible.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    static func line(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= capacity { flush() }
    }

    /// A part of a line.
    static func piece(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= capacity { flush() }
    }

    static func json(_ value: JSONValue) { line(value.line) }

    /// Text from a store, for people: safe on a terminal, as it is in a file or a pipe.
    static func text(_ text: String) { line(isTerminal ? Printable.text(text) : text) }

    static func bytes(_ bytes: some Sequence<UInt8>) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= capacity { flush() }
    }

    static func flush() {
        var written = 0
        while written < buffer.count {
            let count = buffer[written...].withUnsafeBytes {
                write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count > 0 {
                written += count
            } else if errno != EINTR {
                // EPIPE: nobody reads any more.
                exit(errno == EPIPE ? ExitStatus.done.rawValue : ExitStatus.inputOutput.rawValue)
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Progress, warnings and errors, on standard error.
    static func note(_ text: String) {
        flush()
        FileHandle.standardError.write(Data((Printable.text(text) + "\n").utf8))
    }
}

/// Text with control characters made visible, so that nothing from a store reaches the terminal as
/// an escape sequence.
enum Printable {
    /// Newlines and tabs stay.
    static func text(_ text: String) -> String { escaped(text) { $0 == "\n" || $0 == "\t" } }
    /// One line: newlines and tabs are shown too.
    static func line(_ text: String) -> String { escaped(text) { _ in false } }

    private static func escaped(_ text: String, except keep: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: { isControl($0) && !keep($0) }) else {
            return text
        }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if !isControl(scalar) || keep(scalar) {
                result.append(scalar)
            } else if scalar.value < 0x20, let picture = Unicode.Scalar(0x2400 + scalar.value) {
                result.append(picture)
            } else if scalar.value == 0x7F {
                result.append("\u{2421}")
            } else {
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            }
        }
        return String(result)
    }

    /// C0, DEL, C1, and the characters that change the direction of what follows.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
