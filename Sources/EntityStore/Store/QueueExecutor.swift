import Dispatch

/// An executor that runs an actor's jobs on a separate queue, because they access files and would
/// block the shared threads of Swift concurrency.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Accepts all work on the queue, because such work is as isolated as the actor's jobs.
    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
