import Dispatch
import Synchronization

extension Array where Element: Sendable {
    /// Calls `transform` for each element, concurrently on one thread per processor.
    ///
    /// - Parameter chunk: The number of elements that a thread takes at once. Use a small number if
    ///   each element takes long.
    /// - Returns: The results, in the order of the elements.
    package func concurrentMap<Value: Sendable>(
        inChunksOf chunk: Int, _ transform: @Sendable (Element) -> Value
    ) -> [Value] {
        guard count > chunk else { return map(transform) }
        let chunks = (count + chunk - 1) / chunk
        let made = Mutex([Int: [Value]]())
        DispatchQueue.concurrentPerform(iterations: chunks) { number in
            let start = number * chunk
            let values = self[start..<Swift.min(start + chunk, count)].map(transform)
            made.withLock { $0[number] = values }
        }
        return made.withLock { made in (0..<chunks).flatMap { made[$0] ?? [] } }
    }
}
