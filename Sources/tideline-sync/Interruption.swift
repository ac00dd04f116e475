import Dispatch
import Glibc

/// Handling of SIGINT and SIGTERM.
enum Interruption {
    /// Runs `body` until it ends or a signal cancels it. The same signal again ends the program
    /// immediately.
    ///
    /// - Parameter first: Runs before `body` is canceled.
    static func ends(
        _ body: @escaping @Sendable () async throws -> Void,
        after first: @escaping @Sendable () async -> Void = {}
    ) async throws {
        let task = Task { try await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)
                Task {
                    await first()
                    task.cancel()
                }
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        do {
            try await task.value
        } catch  where task.isCancelled {
            // The signal requested this end.
        }
    }

    /// Runs `body` at each SIGUSR1 until the returned value is canceled.
    static func answering(_ body: @escaping @Sendable () async -> Void) -> any DispatchSourceSignal
    {
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
        source.setEventHandler { Task { await body() } }
        source.resume()
        return source
    }
}
