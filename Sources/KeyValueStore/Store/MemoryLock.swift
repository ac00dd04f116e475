import Glibc
import Replication
import Synchronization

/// The one lock over the memory side. A thread may hold it over several accesses, as a transaction
/// does: its own go on, those of all others wait.
final class MemoryLock: Sendable {
    private let turn = Mutex<Void>(())
    private let memory: Mutex<Memory>
    /// The thread that holds the turn over several accesses; 0 for none. Only a thread itself
    /// writes its number here, so that whoever finds its own can rely on it.
    private let holder = Atomic<pthread_t>(0)
    private let released: @Sendable () -> Void

    /// - Parameter released: Called after each time that the lock was held: what nobody may be told
    ///   under it is told then.
    init(_ memory: consuming sending Memory, released: @escaping @Sendable () -> Void) {
        self.memory = Mutex(memory)
        self.released = released
    }

    /// Whether the calling thread is inside ``hold(_:)``.
    var isHeldHere: Bool { holder.load(ordering: .relaxed) == pthread_self() }

    /// One access. It must not lead to another one by the same thread.
    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Memory) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if isHeldHere { return try memory.withLock(body) }
        defer { released() }
        return try turn.withLock { _ throws(Failure) in try memory.withLock(body) }
    }

    /// Keeps all other threads out while `body` runs, which may access the memory side as often as
    /// it likes, and hold it again.
    func hold<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isHeldHere { return try body() }
        // What it returns stays with this thread, which the mutex's own result could not say.
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
