package import Foundation
import Glibc
import Replication
import Synchronization
package import TidelineCore

/// Standard output, for results only.
///
/// Text is buffered and written when the buffer is full or the command ends. If the reader closes
/// the pipe (`tideline … | head`), the command exits quietly.
package enum Output {
    private static let buffer = Mutex<[UInt8]>([])
    private static let capacity = 1 << 16
    /// The error number of the first failed write while failures are deferred, or 0 if no write has
    /// failed; `nil` if failures aren't deferred.
    private static let deferred = Mutex<Int32?>(nil)
    private static let statusIfClosed = Mutex<Int32>(EXIT_SUCCESS)

    /// Whether the results go to a terminal, in which case control characters are made visible.
    package static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether the results can have colors: on a terminal, unless `NO_COLOR` is set.
    package static let hasColors =
        isTerminal && ProcessInfo.processInfo.environment["NO_COLOR"].map(\.isEmpty) ?? true

    package static func line(_ text: String) {
        append { buffer in
            buffer.append(contentsOf: text.utf8)
            buffer.append(UInt8(ascii: "\n"))
        }
    }

    /// Writes a part of a line.
    package static func piece(_ text: String) { append { $0.append(contentsOf: text.utf8) } }

    package static func json(_ value: JSONValue) { line(value.line) }

    /// Creates lines in parallel and writes them in order.
    package static func lines(_ count: Int, _ text: @Sendable (Int) -> String) {
        let size = 2_048
        for start in stride(from: 0, to: count, by: size) {
            Array(start..<min(start + size, count))
                .concurrentMap(inChunksOf: 128, text).forEach(line)
        }
    }

    /// Writes text from a store: escaped on a terminal, unchanged in a file or a pipe.
    package static func text(_ text: String) { line(isTerminal ? Printable.text(text) : text) }

    package static func bytes(_ bytes: UnsafeRawBufferPointer) {
        append { $0.append(contentsOf: bytes) }
    }

    /// Writes any number of bytes without collecting them first.
    package static func bytes(_ data: Data) {
        var start = data.startIndex
        while start < data.endIndex {
            let end = min(start + capacity, data.endIndex)
            data[start..<end].withUnsafeBytes { bytes($0) }
            start = end
        }
    }

    private static func append(_ add: (inout [UInt8]) -> Void) {
        buffer.withLock { buffer in
            add(&buffer)
            if buffer.count >= capacity { flush(&buffer) }
        }
    }

    package static func flush() { buffer.withLock { flush(&$0) } }

    private static func flush(_ buffer: inout [UInt8]) {
        let problem = buffer.withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
        buffer.removeAll(keepingCapacity: true)
        guard problem != 0 else { return }
        let isDeferred = deferred.withLock { first in
            if first == 0 { first = problem }
            return first != nil
        }
        if !isDeferred { end(after: problem) }
    }

    /// Makes the command exit with code 1, not 0, if the reader closes the pipe before the command
    /// ends. Call this method once the command knows that its exit code will be 1.
    package static func failIfClosed() { statusIfClosed.withLock { $0 = EXIT_FAILURE } }

    private static func end(after problem: Int32) -> Never {
        // The reader has closed the pipe.
        if problem == EPIPE { exit(statusIfClosed.withLock { $0 }) }
        let failure = Failure(system: problem, "standard output")
        for line in failure.lines { StandardStreams.printError(line) }
        exit(ErrorCategory.inputOutput.exitCode)
    }

    /// Lets the command continue without output if writing to standard output fails. Call before
    /// printing the changes that the command then makes to a store.
    package static func deferFailures() { deferred.withLock { $0 = $0 ?? 0 } }

    /// Ends the command if output was lost since ``deferFailures()``.
    package static func endAfterDeferredFailure() {
        flush()
        let problem = deferred.withLock { first in
            defer { first = nil }
            return first ?? 0
        }
        if problem != 0 { end(after: problem) }
    }

    /// Exits quietly when the reader closes the pipe, even if there is no output yet.
    package static func endWithReader() { StandardStreams.endWithReader() }

    /// Writes progress, warnings and errors to standard error.
    ///
    /// - Parameter text: One line. Newlines, for example in file names, are escaped.
    package static func note(_ text: String) {
        flush()
        StandardStreams.printError(Printable.line(text))
    }

    /// Continues a line of progress.
    package static func progress(_ text: String) { StandardStreams.progress(text) }

    package static func failure(_ failure: Failure) {
        for line in failure.lines { note(line) }
    }
}

/// Functions that make control characters visible, as the screen does.
package enum Printable {
    /// Returns text with visible control characters, except newlines and tabs.
    package static func text(_ text: String) -> String {
        var result = ""
        var rest = text.unicodeScalars[...]
        while let end = rest.firstIndex(where: { $0 == "\n" || $0 == "\t" }) {
            result += line(String(rest[..<end]))
            result.unicodeScalars.append(rest[end])
            rest = rest[rest.index(after: end)...]
        }
        return result + line(String(rest))
    }

    /// Returns text with visible control characters, including newlines and tabs.
    package static func line(_ text: String) -> String { Sanitizer.visible(text) }

    /// Returns the first four hashes of changes, shortened to the eight digits that identify a
    /// change in practice.
    package static func hashes(_ hashes: [some CustomDebugStringConvertible]) -> String {
        guard !hashes.isEmpty else { return "none" }
        let shown = hashes.prefix(4).map { $0.debugDescription.prefix(8) }
        let rest = hashes.count - shown.count
        return shown.joined(separator: " ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// Returns a line of at most `columns` columns, which ends with `…` if the text is longer.
    package static func clipped(_ text: String, columns: Int) -> String {
        let line = line(String(text.prefix(columns + 1)))
        guard CharacterWidth.exceeds(line, columns: columns) else { return line }
        var (shown, width) = ("", 0)
        for character in line {
            width += CharacterWidth.width(of: character)
            guard width < columns else { break }
            shown.append(character)
        }
        return shown + "…"
    }
}
