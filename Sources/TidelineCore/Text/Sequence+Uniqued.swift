extension Sequence {
    /// Returns the first element of each key, in the order of the sequence.
    package func uniqued<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}

extension Sequence where Element: Hashable {
    /// Returns the elements without duplicates, in the order of the sequence.
    package func uniqued() -> [Element] { uniqued(by: { $0 }) }
}
