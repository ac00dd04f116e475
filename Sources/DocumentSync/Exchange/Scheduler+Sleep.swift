package import Replication

extension Scheduler {
    /// Waits for a duration, or until the task is canceled.
    package func sleep(for time: Duration) async {
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
        let cancellation = schedule(after: time) { tick.finish() }
        defer { cancellation.cancel() }
        // If the task is canceled, the loop ends early.
        for await _ in ticks {}
    }
}
