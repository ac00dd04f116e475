/// The end of a live sequence: it ends with the first `nil`, with the first error, or when its task
/// is canceled.
struct EndingElements: Sendable {
    private var isFinished = false

    /// Returns the next element, or `nil` after the end.
    ///
    /// - Throws: The first error of `body` other than `CancellationError`.
    mutating func next<Element>(_ body: () async throws -> Element?) async throws -> Element? {
        guard !isFinished else { return nil }
        isFinished = true
        do {
            let element = try await body()
            isFinished = element == nil
            return element
        } catch is CancellationError {
            return nil
        }
    }
}
