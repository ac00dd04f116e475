import Dispatch

extension KeyValueStore {
    /// Runs calls that wait for files, such as those that read history, merge, or copy blobs,
    /// without blocking the caller's thread.
    ///
    /// Don't use this method to read and write values, which takes microseconds. ``load()-(())``,
    /// `save()` and `sync()` have asynchronous forms.
    ///
    /// ```swift
    /// let rows = try await store.perform { try $0.rows(forKey: "note/1/title") }
    /// try await store.perform { try $0.blobs.put(contentsOf: photo, at: "photos/4.jpg") }
    /// ```
    ///
    /// - Parameter body: Receives this store, on a separate thread. Calls of several tasks run
    ///   concurrently.
    /// - Returns: The result of `body`.
    /// - Throws: Errors of `body`, and `CancellationError` if the task is canceled before `body`
    ///   starts.
    @discardableResult
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (KeyValueStore) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(with: Swift.Result { try body(self) })
            }
        }
    }
}
