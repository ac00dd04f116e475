import Dispatch

/// Separate threads for tasks that synchronize very often. On the shared threads, each turn would
/// wait for the turns of all other tests.
public final class OwnThreads: TaskExecutor {
    private let queue = DispatchQueue(label: "own threads", attributes: .concurrent)

    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    /// - Parameter body: Receives the executor for the tasks that it starts.
    public static func run(
        _ body: @Sendable (OwnThreads) async throws -> Void
    ) async rethrows {
        let threads = OwnThreads()
        try await withTaskExecutorPreference(threads) { try await body(threads) }
    }
}
