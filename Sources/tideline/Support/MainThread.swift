import Dispatch
import Synchronization

/// The main thread, for work that blocks a thread for long.
///
/// Tasks share one thread per processor. The browser's loop sleeps in the kernel until a key is
/// pressed. On a machine with one processor, the loop would block the tasks that fetch rows.
enum MainThread {
    private static let jobs = Mutex<[@Sendable () -> Void]>([])
    private static let wakeUp = DispatchSemaphore(value: 0)

    /// Runs the jobs of ``run(_:)`` forever.
    static func serve() -> Never {
        while true {
            wakeUp.wait()
            let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            job?()
        }
    }

    /// Runs `body` on the main thread, after earlier jobs.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            jobs.withLock { $0.append { continuation.resume(with: Result(catching: body)) } }
            wakeUp.signal()
        }
    }
}
