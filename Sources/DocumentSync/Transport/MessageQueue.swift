import Synchronization

/// A queue of messages between tasks or threads. It has room for a few messages, and writers wait
/// until there is room.
final class MessageQueue: Sendable {
    private struct State {
        var messages: [[UInt8]] = []
        var reader: CheckedContinuation<Void, Never>?
        var writers: [CheckedContinuation<Void, Never>] = []
        var isEnded = false
        var failure: SyncError?

        /// Returns the waiting tasks that must check the queue again.
        ///
        /// Resume these tasks outside the lock. Otherwise, there could be a deadlock: resuming a
        /// task takes an internal lock, and canceling the task holds that lock while ending the
        /// queue.
        mutating func wakeReader() -> Woken {
            defer { reader = nil }
            return Woken(tasks: reader.map { [$0] } ?? [])
        }

        mutating func wakeWriters() -> Woken {
            defer { writers = [] }
            return Woken(tasks: writers)
        }
    }

    private struct Woken {
        var tasks: [CheckedContinuation<Void, Never>]

        func resume() {
            for task in tasks { task.resume() }
        }
    }

    private let state = Mutex(State())
    private let capacity: Int

    init(capacity: Int = 4) { self.capacity = capacity }

    /// Adds a message once there is room.
    ///
    /// - Throws: `SyncError` if the queue has ended.
    func put(_ message: [UInt8]) async throws(SyncError) {
        while true {
            let woken = try state.withLock { state throws(SyncError) -> Woken? in
                if state.isEnded {
                    throw state.failure ?? SyncError(.disconnected, "the connection has ended")
                }
                guard state.messages.count < capacity else { return nil }
                state.messages.append(message)
                return state.wakeReader()
            }
            if let woken { return woken.resume() }
            await withCheckedContinuation { continuation in
                let isNow = state.withLock { state in
                    if state.isEnded || state.messages.count < capacity { return true }
                    state.writers.append(continuation)
                    return false
                }
                if isNow { continuation.resume() }
            }
        }
    }

    /// Waits for the next message and returns it. Only one task at a time may call this method.
    ///
    /// - Returns: The message, or `nil` at the end.
    func take() async throws(SyncError) -> [UInt8]? {
        while true {
            enum Next {
                case message([UInt8], Woken)
                case end, wait
            }
            let next = try state.withLock { state throws(SyncError) -> Next in
                if !state.messages.isEmpty {
                    return .message(state.messages.removeFirst(), state.wakeWriters())
                }
                if let failure = state.failure { throw failure }
                return state.isEnded ? .end : .wait
            }
            switch next {
            case .message(let message, let woken):
                woken.resume()
                return message
            case .end: return nil
            case .wait: break
            }
            await withCheckedContinuation { continuation in
                let isNow = state.withLock { state in
                    if state.isEnded || !state.messages.isEmpty { return true }
                    state.reader = continuation
                    return false
                }
                if isNow { continuation.resume() }
            }
        }
    }

    /// Ends the queue after the waiting messages.
    ///
    /// - Parameter dropping: Whether to drop these messages.
    func end(_ failure: SyncError? = nil, dropping: Bool = false) {
        let woken = state.withLock { state in
            if !state.isEnded {
                state.isEnded = true
                state.failure = failure
            }
            if dropping { state.messages = [] }
            return (state.wakeReader(), state.wakeWriters())
        }
        woken.0.resume()
        woken.1.resume()
    }

    /// Adds a message if there is room.
    func offer(_ message: [UInt8]) {
        let woken = state.withLock { state -> Woken? in
            guard !state.isEnded, state.messages.count < capacity else { return nil }
            state.messages.append(message)
            return state.wakeReader()
        }
        woken?.resume()
    }
}
