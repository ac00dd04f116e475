import Foundation
public import Glibc
import Synchronization

/// A program that a test starts, with `posix_spawn`.
///
/// Foundation's `Process` keeps sockets and a thread for each program, and crashed in a process with
/// hundreds of threads. It also passes on the signals that the test's threads block.
public final class RunningProgram {
    /// A failure to start a program, or to reach an expected state in time.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The destination of a program's stream.
    public enum Stream: Sendable {
        /// `/dev/null`: no input, and output is discarded.
        case null
        /// The test's end of a pipe.
        case pipe
        /// A file, which is created.
        case file(String)
        /// The test's own stream.
        case inherited
    }

    /// The end of a program: its exit code or a signal.
    public enum Ending: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)

        /// The exit code; `nil` if a signal ended the program.
        public var code: Int32? {
            if case .exit(let code) = self { code } else { nil }
        }
    }

    public let identifier: pid_t
    private var known: Ending?
    /// The test's ends of the pipes; -1 for none.
    private var input: Int32 = -1
    private var output: Int32 = -1
    private var errors: Int32 = -1
    private var unread: [UInt8] = []

    /// Starts a program of this package.
    public convenience init(
        _ name: String, _ arguments: [String], environment: [String: String]? = nil,
        output: Stream = .pipe, errors: Stream = .inherited
    ) throws {
        try self.init(
            executable: Programs.built(name), arguments, environment: environment, output: output,
            errors: errors)
    }

    /// Starts a program.
    ///
    /// - Parameter environment: All of the program's environment; the test's own by default.
    public init(
        executable path: String, _ arguments: [String], environment: [String: String]? = nil,
        input: Stream = .null, output: Stream = .pipe, errors: Stream = .inherited
    ) throws {
        // A program that doesn't read its input still ends.
        signal(SIGPIPE, SIG_IGN)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var theirs: [Int32] = []
        defer { for end in theirs { close(end) } }
        var ours: [Int32] = [-1, -1, -1]
        for (number, stream) in [input, output, errors].enumerated() {
            let target = Int32(number)
            switch stream {
            case .inherited: break
            case .null:
                let flags = number == 0 ? O_RDONLY : O_WRONLY
                posix_spawn_file_actions_addopen(&actions, target, "/dev/null", flags, 0)
            case .file(let path):
                let flags = O_WRONLY | O_CREAT | O_TRUNC
                posix_spawn_file_actions_addopen(&actions, target, path, flags, 0o600)
            case .pipe:
                guard var ends = Self.pipe() else {
                    for end in ours where end >= 0 { close(end) }
                    throw Failure(description: "no pipe: \(errno)")
                }
                if number == 0 { ends.swapAt(0, 1) }
                ours[number] = ends[0]
                theirs.append(ends[1])
                posix_spawn_file_actions_adddup2(&actions, ends[1], target)
            }
        }
        (self.input, self.output, self.errors) = (ours[0], ours[1], ours[2])
        let variables = environment ?? ProcessInfo.processInfo.environment
        identifier = Self.spawn(path, arguments, variables, &actions)
        guard identifier > 0 else {
            known = .exit(127)
            throw Failure(description: "\(path) cannot be started")
        }
    }

    deinit {
        if known == nil {
            kill(identifier, SIGKILL)
            _ = try? wait()
        }
        for end in [input, output, errors] where end >= 0 { close(end) }
    }

    /// Held while a program starts, and while descriptors exist that it would inherit.
    static let starting = Mutex(())

    /// - Returns: The ends to read from and to write to, which programs don't inherit.
    private static func pipe() -> [Int32]? {
        starting.withLock { _ in
            var ends: [Int32] = [-1, -1]
            guard Glibc.pipe(&ends) == 0 else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return ends
        }
    }

    /// - Returns: The process; 0 if the program cannot be started.
    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String],
        _ actions: inout posix_spawn_file_actions_t
    ) -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // A test's thread blocks signals, and the program would inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var process: pid_t = 0
        let result = starting.withLock { _ in
            posix_spawn(&process, path, &actions, &attributes, &words, &variables)
        }
        return result == 0 ? process : 0
    }

    // MARK: Ending

    public var isRunning: Bool { (try? look()) == .some(nil) }

    /// - Returns: How it ended; `nil` while it runs.
    private func look() throws -> Ending? {
        if let known { return known }
        var status: Int32 = 0
        let found = waitpid(identifier, &status, WNOHANG)
        guard found == identifier else {
            guard found == 0 || errno == EINTR else {
                throw Failure(description: "the process \(identifier) cannot be waited for")
            }
            return nil
        }
        let signal = status & 0x7F
        known = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
        return known
    }

    /// Waits for the end.
    @discardableResult
    public func wait(within limit: Duration = patience) throws -> Ending {
        let deadline = ContinuousClock.now + limit
        while true {
            if let ending = try look() { return ending }
            guard ContinuousClock.now < deadline else {
                throw Failure(description: "the process \(identifier) does not end")
            }
            usleep(1_000)
        }
    }

    /// Sends a signal.
    public func send(_ signal: Int32) {
        if known == nil { kill(identifier, signal) }
    }

    /// Sends a signal, and waits for the end.
    @discardableResult
    public func end(by signal: Int32 = SIGKILL) throws -> Ending {
        send(signal)
        return try wait()
    }

    // MARK: Streams

    /// Returns the next line of output, without the line feed; `nil` at the end.
    public func line(within limit: Duration = patience) throws -> String? {
        let deadline = ContinuousClock.now + limit
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard let more = try Self.read(output, until: deadline) else {
                defer { unread = [] }
                return unread.isEmpty ? nil : String(decoding: unread, as: UTF8.self)
            }
            unread += more
        }
    }

    /// Returns the remaining lines of output.
    public func lines() throws -> [String] {
        var lines: [String] = []
        while let line = try line() { lines.append(line) }
        return lines
    }

    /// Writes all of the input, and reads both outputs to their ends.
    public func communicate(
        _ text: String = "", within limit: Duration = patience
    ) throws -> (output: String, errors: String) {
        let deadline = ContinuousClock.now + limit
        var rest = Array(text.utf8)[...]
        if input >= 0 { _ = fcntl(input, F_SETFL, O_NONBLOCK) }
        var found: [[UInt8]] = [unread, []]
        unread = []
        var open = [output, errors]
        while input >= 0 || open.contains(where: { $0 >= 0 }) {
            if input >= 0, rest.isEmpty {
                close(input)
                input = -1
            }
            var waiting = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            waiting.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0))
            guard ContinuousClock.now < deadline else {
                throw Failure(description: "the process \(identifier) goes on: \(found)")
            }
            poll(&waiting, nfds_t(waiting.count), 1_000)
            for index in 0..<2 where waiting[index].revents != 0 {
                if let more = try Self.read(open[index], until: deadline) {
                    found[index] += more
                } else {
                    open[index] = -1
                }
            }
            if input >= 0, waiting[2].revents != 0 {
                let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EAGAIN, errno != EINTR {
                    rest = []
                }
            }
        }
        return (
            String(decoding: found[0], as: UTF8.self), String(decoding: found[1], as: UTF8.self)
        )
    }

    /// - Returns: Some bytes; `nil` at the end.
    private static func read(
        _ file: Int32, until deadline: ContinuousClock.Instant
    ) throws -> [UInt8]? {
        guard file >= 0 else { return nil }
        while true {
            var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            if poll(&waiting, 1, 1_000) > 0 {
                let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                    count = max(0, Glibc.read(file, buffer.baseAddress, buffer.count))
                }
                return bytes.isEmpty ? nil : bytes
            }
            guard ContinuousClock.now < deadline else {
                throw Failure(description: "nothing more is read from a program")
            }
        }
    }
}
