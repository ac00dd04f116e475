import Dispatch
import Glibc

/// Waiting for SIGINT or SIGTERM.
enum Interruption {
    /// Runs `body` until it ends or a signal asks for the end; it is cancelled then. A second
    /// signal ends the program at once.
    static func ends(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)
                task.cancel()
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        do {
            try await task.value
        } catch  where task.isCancelled {
            // The end that was asked for.
        }
    }
}
