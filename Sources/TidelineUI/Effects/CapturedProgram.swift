import Foundation
import Glibc
import Synchronization
import TidelineCore

/// How a program ended, and what it printed.
public struct CommandResult: Hashable, Sendable {
    /// The exit code; 128 plus the signal's number if a signal ended the program.
    public var code: Int32
    /// The start of the output and the errors, in the order in which they were printed.
    public var output: String
    /// Whether the output was longer.
    public var isCut: Bool
    /// The last line of the output that isn't blank; `nil` if there is none.
    public var lastLine: String?

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
    /// How long a cancelled program may take to end by itself.
    private static let grace = Duration.seconds(2)

    private struct State {
        var isCancelled = false
        var hasEnded = false
    }

    private let program: ChildProgram
    private let output: Int32
    /// Reports the end of the program. The end of the output doesn't, because the program may have
    /// started others that go on.
    private let end: Pipe
    private let state = Mutex(State())

    /// Starts a program.
    ///
    /// - Parameter arguments: The program and its arguments.
    /// - Throws: ``ChildProgram/StartError``, or ``RequestFailure`` if too many files are open.
    private init(_ arguments: [String]) throws {
        let pipe = try Pipe.closedOnExecution()
        defer { close(pipe.writing) }
        do {
            end = try Pipe.closedOnExecution()
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

    deinit {
        close(output)
        close(end.reading)
    }

    /// Runs a program until it ends. If the task is cancelled, the program is ended.
    ///
    /// - Parameter arguments: The program and its arguments.
    /// - Throws: ``ChildProgram/StartError``, or ``RequestFailure`` if too many files are open.
    static func run(_ arguments: [String]) async throws -> CommandResult {
        let captured = try CapturedProgram(arguments)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    captured.program.waitWithoutForgetting()
                    close(captured.end.writing)
                }
                Thread.detachNewThread {
                    let text = captured.read()
                    continuation.resume(returning: text.result(code: captured.takeEnding()))
                }
            }
        } onCancel: {
            captured.cancel()
        }
    }

    /// Reads the output until the program has ended and nothing more is there.
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
            } else if hasEnded {
                return text
            } else if count == 0 {
                // The program has closed its output and goes on.
                descriptors[0].fd = -1
            }
        }
    }

    /// Returns the exit code, and ends what a cancelled program has left.
    private func takeEnding() -> Int32 {
        state.withLock { state in
            if state.isCancelled { program.send(SIGKILL) }
            state.hasEnded = true
            switch program.waitUntilEnd() {
            case .code(let code): return code
            case .signal(let signal): return 128 + signal
            }
        }
    }

    /// Ends the program and those that it started.
    private func cancel() {
        state.withLock { $0.isCancelled = true }
        send(SIGTERM)
        Task {
            try? await Task.sleep(for: Self.grace)
            send(SIGKILL)
        }
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
    private var isCut = false

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        let kept = bytes.prefix(Self.limit - start.count)
        start += kept
        if kept.count < bytes.count { isCut = true }
        tail = Array((tail + bytes.suffix(Self.tailLimit)).suffix(Self.tailLimit))
    }

    func result(code: Int32) -> CommandResult {
        let lines = String(decoding: tail, as: UTF8.self).split(whereSeparator: \.isNewline)
        let last = lines.last { $0.contains { !$0.isWhitespace } }
        return CommandResult(
            code: code, output: String(decoding: start, as: UTF8.self), isCut: isCut,
            lastLine: last.map(String.init))
    }
}

/// The two ends of a pipe.
private struct Pipe {
    let reading: Int32
    let writing: Int32

    /// Creates a pipe that other programs don't get unless it is passed to them.
    static func closedOnExecution() throws -> Pipe {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw RequestFailure(.other, "can't create a pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return Pipe(reading: ends[0], writing: ends[1])
    }
}
