import Glibc
import Synchronization

/// The only lock of the memory side. A thread can hold the lock during several accesses, as a
/// transaction does. Other threads wait until the lock is released.
final class MemoryLock: Sendable {
    private let turn = Mutex<Void>(())
    private let memory: Mutex<Memory>
    /// The thread that holds the lock over several accesses; 0 for none. A thread only writes and
    /// removes its own number. So a thread that reads its own number here certainly holds the lock.
    private let holder = Atomic<pthread_t>(0)
    private let released: @Sendable () -> Void

    /// Creates the lock.
    ///
    /// - Parameter released: Called each time the lock is released, to deliver notifications
    ///   deferred under it.
    init(_ memory: consuming sending Memory, released: @escaping @Sendable () -> Void) {
        self.memory = Mutex(memory)
        self.released = released
    }

    /// Whether the calling thread is inside ``hold(_:)``.
    var isHeldHere: Bool { holder.load(ordering: .relaxed) == pthread_self() }

    /// Performs one access. `body` must not access the memory side again.
    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Memory) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if isHeldHere { return try memory.withLock(body) }
        defer { released() }
        return try turn.withLock { _ throws(Failure) in try memory.withLock(body) }
    }

    /// Excludes all other threads while `body` runs. `body` can access the memory side repeatedly,
    /// and hold the lock again.
    func hold<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isHeldHere { return try body() }
        // If the mutex returned the result, the result would have to be sendable, although it stays
        // on this thread.
        var outcome: Swift.Result<Result, Failure>?
        defer { released() }
        turn.withLock { _ in
            holder.store(pthread_self(), ordering: .relaxed)
            defer { holder.store(0, ordering: .relaxed) }
            outcome = Swift.Result { () throws(Failure) in try body() }
        }
        guard let outcome else { preconditionFailure("The mutex ran nothing") }
        return try outcome.get()
    }
}
