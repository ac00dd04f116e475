package import Dispatch

extension DispatchQueue {
    /// Runs `body` on the queue without blocking a thread, and returns its result.
    ///
    /// - Throws: Errors of `body`.
    package func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            self.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
