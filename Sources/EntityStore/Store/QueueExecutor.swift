import Dispatch

/// Runs an actor's jobs on a queue of its own, because they read and write files and would block
/// the threads that all tasks share.
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

    /// What else runs on the queue is as isolated as the actor's own jobs.
    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
