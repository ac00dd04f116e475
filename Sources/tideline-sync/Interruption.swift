import Dispatch
import Glibc

/// Handling of SIGINT and SIGTERM.
enum Interruption {
    /// Runs `body` until it ends or a signal cancels it. A second signal ends the program
    /// immediately.
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
            // The requested end.
        }
    }
}
