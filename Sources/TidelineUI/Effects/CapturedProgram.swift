import Foundation
import Glibc
import Replication
import Synchronization
import TidelineCore

/// The exit code and the output of a program.
public struct CommandResult: Hashable, Sendable {
    /// The exit code; 128 plus the signal's number if a signal ended the program.
    public var code: Int32
    /// The start of the output and the errors, in the order of printing, without escape sequences.
    public var output: String
    /// Whether the program printed more than ``output``.
    public var isCut: Bool
    /// Whether the program was ended because it printed too much.
    public var wasEnded = false
    /// The last line of the output that isn't blank; `nil` if there is none.
    public var lastLine: String?

    /// The reason for ``wasEnded``.
    static let whyEnded = "it printed more than \(ByteCount.text(CapturedProgram.outputLimit))"

    /// Creates a result.
    public init(code: Int32, output: String = "", isCut: Bool = false, lastLine: String? = nil) {
        self.code = code
        self.output = output
        self.isCut = isCut
        self.lastLine = lastLine
    }
}

/// A program whose output is captured. It runs concurrently and has no terminal.
final class CapturedProgram: Sendable {
    /// The number of bytes of output after which a program is ended.
    static let outputLimit = 64_000_000
    /// The milliseconds between the request to end and the signal that kills the program.
    private static let grace: Int32 = 2_000

    private struct State {
        /// Whether the program was asked to end.
        var isEnding = false
        /// Whether the program has ended, so that no signal can be sent to it.
        var hasEnded = false
    }

    private let program: ChildProgram
    private let output: Int32
    /// A pipe whose writing end is closed when the program has ended. The end of the output doesn't
    /// show this, because programs that it started may keep the output open.
    private let end: PipeEnds
    private let state = Mutex(State())

    /// Starts a program.
    ///
    /// - Throws: ``ChildProgram/StartError``, or ``RequestFailure`` if too many files are open.
    private init(_ arguments: [String]) throws {
        let pipe = try Self.pipe()
        defer { close(pipe.writing) }
        do {
            end = try Self.pipe()
        } catch {
            close(pipe.reading)
            throw error
        }
        do {
            program = try ChildProgram(
                path: arguments.first ?? "", arguments: Array(arguments.dropFirst()),
                output: .captured(pipe.writing))
        } catch {
            for descriptor in [pipe.reading, end.reading, end.writing] { close(descriptor) }
            throw error
        }
        output = pipe.reading
    }

    private static func pipe() throws(RequestFailure) -> PipeEnds {
        guard let pipe = PipeEnds(isBlocking: true) else {
            throw RequestFailure(system: errno, "can't create a pipe")
        }
        return pipe
    }

    deinit {
        close(output)
        close(end.reading)
    }

    /// Runs a program until it ends. If the task is canceled or the program prints more than
    /// ``outputLimit``, ends it.
    ///
    /// - Throws: ``ChildProgram/StartError``, or ``RequestFailure`` if too many files are open.
    static func run(_ arguments: [String]) async throws -> CommandResult {
        try Task.checkCancellation()
        let captured = try CapturedProgram(arguments)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    captured.program.waitWithoutReaping()
                    close(captured.end.writing)
                }
                Thread.detachNewThread {
                    let text = captured.read()
                    continuation.resume(returning: text.result(code: captured.takeEnding()))
                }
            }
        } onCancel: {
            Thread.detachNewThread { captured.terminate() }
        }
    }

    /// Reads the output until the program has ended and all of it has been read.
    private func read() -> CapturedText {
        var text = CapturedText()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var descriptors = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: end.reading, events: Int16(POLLIN), revents: 0),
        ]
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        while true {
            if poll(&descriptors, 2, -1) < 0, errno != EINTR { return text }
            let hasEnded = descriptors[1].revents != 0
            let count = Glibc.read(output, &buffer, buffer.count)
            if count > 0 {
                text.append(buffer[..<count])
                if text.byteCount > Self.outputLimit, !text.wasEnded {
                    text.wasEnded = true
                    Thread.detachNewThread { self.terminate() }
                }
            } else if hasEnded {
                return text
            } else if count == 0 {
                // The program has closed its output and continues to run.
                descriptors[0].fd = -1
            }
        }
    }

    /// Returns the exit code. If the program was asked to end, also ends programs that it started.
    private func takeEnding() -> Int32 {
        state.withLock { state in
            if state.isEnding { program.send(SIGKILL) }
            state.hasEnded = true
            return program.waitUntilEnd().shellCode
        }
    }

    /// Ends the program and all programs that it started. Requests their end, and kills the
    /// programs that are still running after ``grace``.
    private func terminate() {
        state.withLock { $0.isEnding = true }
        send(SIGTERM)
        var ending = pollfd(fd: end.reading, events: Int16(POLLIN), revents: 0)
        while poll(&ending, 1, Self.grace) < 0, errno == EINTR {}
        send(SIGKILL)
    }

    private func send(_ signal: Int32) {
        state.withLock { if !$0.hasEnded { program.send(signal) } }
    }
}

/// The start and the end of a long output.
struct CapturedText {
    /// The maximum number of bytes that are kept from the start.
    static let limit = 1 << 20
    /// The maximum number of bytes that are kept from the end.
    private static let tailLimit = 4_096

    private var start: [UInt8] = []
    private var tail: [UInt8] = []
    /// The number of bytes of the whole output.
    private(set) var byteCount = 0
    /// Whether the program was ended because of the length of its output.
    var wasEnded = false

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        byteCount += bytes.count
        start += bytes.prefix(Self.limit - start.count)
        tail = Array((tail + bytes.suffix(Self.tailLimit)).suffix(Self.tailLimit))
    }

    /// Returns the result, without the escape sequences of the output.
    func result(code: Int32) -> CommandResult {
        let lines = EscapeSequences.removed(from: tail).split(whereSeparator: \.isNewline)
        let last = lines.last { $0.contains { !$0.isWhitespace } }
        var result = CommandResult(
            code: code, output: EscapeSequences.removed(from: start),
            isCut: byteCount > start.count, lastLine: last.map(String.init))
        result.wasEnded = wasEnded
        return result
    }
}
