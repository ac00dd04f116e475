import Replication
import Synchronization

/// A queue that delivers messages from any thread to the screen's event loop and wakes the loop.
///
/// Messages can be sent before the loop runs.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct State: Sendable {
        var messages: [Message] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let pipe: WakePipe
    /// A descriptor that is readable while there are messages.
    var descriptor: Int32 { pipe.descriptor }

    /// Creates a mailbox.
    ///
    /// - Throws: ``TerminalError`` with code `.failed` if too many files are open.
    public init() throws(TerminalError) {
        guard let pipe = try? WakePipe() else {
            throw TerminalError(.failed, "can't create a pipe: too many files are open")
        }
        self.pipe = pipe
    }

    /// Sends a message. After the loop has ended, messages are dropped.
    public func send(_ message: Message) {
        let mustWake = state.withLock { state in
            if state.isClosed { return false }
            state.messages.append(message)
            return state.messages.count == 1
        }
        if mustWake { pipe.send() }
    }

    /// Takes all messages. The messages of each thread are in order.
    func take() -> [Message] {
        // The pipe is read before the list. If a message is sent between the two, its byte stays in
        // the pipe. The loop then wakes once more and finds an empty list, which is harmless.
        pipe.rest()
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
