import Foundation
import Glibc
import KeyValueStore
import TidelineCore
import TidelineUI

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

    /// A value as a line of JSON; long bytes are encoded as they are written.
    static func json(_ value: PropertyList) throws {
        guard case .data(let data) = value else { return line(try value.json()) }
        piece("{\"$data\":\"")
        // Three bytes are four characters, so that pieces of whole threes fit together.
        var start = data.startIndex
        while start < data.endIndex {
            let end = min(start + (3 << 16), data.endIndex)
            piece(data[start..<end].base64EncodedString())
            start = end
        }
        line("\"}")
    }

    /// Text from a store, for people: safe on a terminal, as it is in a file or a pipe.
    static func text(_ text: String) { line(isTerminal ? Printable.text(text) : text) }

    static func bytes(_ bytes: some Sequence<UInt8>) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= capacity { flush() }
    }

    /// Bytes of any number, which are not gathered first.
    static func bytes(_ data: Data) {
        var start = data.startIndex
        while start < data.endIndex {
            let end = min(start + capacity, data.endIndex)
            bytes([UInt8](data[start..<end]))
            start = end
        }
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
    ///
    /// - Parameter text: One line; a newline in it, as a name from a file may have, is shown.
    static func note(_ text: String) {
        flush()
        FileHandle.standardError.write(Data((Printable.line(text) + "\n").utf8))
    }

    static func failure(_ failure: Failure) {
        for line in failure.lines { note(line) }
    }
}

/// Text in which nothing acts on the terminal, as the screen shows it too.
enum Printable {
    /// Newlines and tabs stay.
    static func text(_ text: String) -> String {
        var result = ""
        var rest = text.unicodeScalars[...]
        while let end = rest.firstIndex(where: { $0 == "\n" || $0 == "\t" }) {
            result += line(String(rest[..<end]))
            result.unicodeScalars.append(rest[end])
            rest = rest[rest.index(after: end)...]
        }
        return result + line(String(rest))
    }

    /// One line: newlines and tabs are shown too.
    static func line(_ text: String) -> String { Sanitizer.visible(text) }
}
