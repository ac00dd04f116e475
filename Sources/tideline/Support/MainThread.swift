import Dispatch
import Synchronization

/// The thread that the program began on, lent to what holds a thread for long.
///
/// Tasks share as few threads as there are processors. The browser's loop, which sleeps in the
/// kernel until a key comes, must not take one of them: on a machine with one processor, nothing
/// would be left to fetch its rows.
enum MainThread {
    private static let jobs = Mutex<[@Sendable () -> Void]>([])
    private static let wakeUp = DispatchSemaphore(value: 0)

    /// Does what ``run(_:)`` brings, for as long as the process lives.
    static func serve() -> Never {
        while true {
            wakeUp.wait()
            let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            job?()
        }
    }

    /// Runs `body` on the main thread, after what came before it.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            jobs.withLock { $0.append { continuation.resume(with: Result(catching: body)) } }
            wakeUp.signal()
        }
    }
}
