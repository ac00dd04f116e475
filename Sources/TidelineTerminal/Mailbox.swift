import Glibc
import Synchronization

/// Messages to the screen's loop from any thread. They wake it.
///
/// It can be filled before there is a screen: work may start first.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct State: Sendable {
        var messages: [Message] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Readable while there are messages.
    let descriptor: Int32
    private let writing: Int32

    /// - Throws: ``TerminalError`` with code `.failed` when too many files are open.
    public init() throws(TerminalError) {
        guard let pipe = Pipe() else {
            throw TerminalError(.failed, "cannot create a pipe: too many files are open")
        }
        descriptor = pipe.reading
        writing = pipe.writing
    }

    deinit {
        _ = Glibc.close(descriptor)
        _ = Glibc.close(writing)
    }

    /// Adds a message. After the loop has ended it goes nowhere.
    public func send(_ message: Message) {
        let mustWake = state.withLock { state in
            if state.isClosed { return false }
            state.messages.append(message)
            return state.messages.count == 1
        }
        guard mustWake else { return }
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    /// The messages that have come in, in the order they were sent by each thread.
    func take() -> [Message] {
        // First the pipe, then the list: a message that comes in between leaves a byte behind,
        // and the next turn finds an empty list, which does no harm.
        var buffer: (UInt64, UInt64) = (0, 0)
        while read(descriptor, &buffer, 16) == 16 {}
        return state.withLock { state in
            let messages = state.messages
            state.messages = []
            return messages
        }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.messages = []
        }
    }
}
