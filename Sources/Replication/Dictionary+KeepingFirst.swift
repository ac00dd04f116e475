extension Dictionary {
    /// Creates a dictionary from pairs. Of several pairs with the same key, the first is kept.
    @inlinable
    package init(keepingFirst pairs: some Sequence<(Key, Value)>) {
        self.init(pairs, uniquingKeysWith: { first, _ in first })
    }
}
