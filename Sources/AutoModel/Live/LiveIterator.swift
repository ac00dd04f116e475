/// A subscription to a live sequence. The subscription ends with the first error, and when its task
/// is canceled or the database is closed.
public struct LiveIterator<Element: Sendable>: AsyncIteratorProtocol {
    private let change: @Sendable () async throws -> Element?
    private var isFinished = false

    /// Creates a subscription.
    ///
    /// - Parameter change: Waits for the next element; `nil` at the end.
    init(_ change: @escaping @Sendable () async throws -> Element?) { self.change = change }

    /// Returns the next element; `nil` if the task is canceled or the database was closed.
    ///
    /// - Throws: ``AutoModelError`` if the file can't be read. The sequence ends after an error.
    public mutating func next() async throws -> Element? {
        guard !isFinished else { return nil }
        isFinished = true
        do {
            let element = try await change()
            isFinished = element == nil
            return element
        } catch is CancellationError {
            return nil
        }
    }
}
