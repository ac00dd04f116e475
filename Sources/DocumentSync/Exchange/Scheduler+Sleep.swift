package import Replication
import Synchronization

extension Scheduler {
    /// Waits for a duration, or until the task is canceled.
    package func sleep(for time: Duration) async {
        let sleeper = Sleeper()
        let cancellation = schedule(after: time) { sleeper.wake() }
        await withTaskCancellationHandler {
            await sleeper.wait()
        } onCancel: {
            cancellation.cancel()
            sleeper.wake()
        }
    }
}

private final class Sleeper: Sendable {
    private enum State {
        case idle, awake
        case asleep(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.idle)

    func wait() async {
        await withCheckedContinuation { continuation in
            let isAwake = state.withLock { state in
                if case .awake = state { return true }
                state = .asleep(continuation)
                return false
            }
            if isAwake { continuation.resume() }
        }
    }

    func wake() {
        let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .awake }
            if case .asleep(let continuation) = state { return continuation }
            return nil
        }
        sleeper?.resume()
    }
}
