extension KeyValueStore.EntryList {
    /// Returns a list of only the keys at the given positions, in the order of the positions.
    ///
    /// - Precondition: The positions are within the list.
    public func selecting(_ positions: [Int]) -> KeyValueStore.EntryList {
        var list = self
        list.indices = positions.map { indices[$0] }
        return list
    }
}

extension KeyValueStore {
    /// Returns the keys of a list, in the list's order, or `nil` if the store was reloaded since
    /// the list was created.
    ///
    /// - Complexity: O(*n*) in the length of the list and the bytes of its keys.
    package func keys(of list: EntryList) -> [String]? {
        memory.withLock { memory in
            memory.generation == list.generation ? list.indices.map { memory.cache.key($0) } : nil
        }
    }

    /// Returns the position of `key` in a list, or `nil` if the key is missing or the store was
    /// reloaded since the list was created.
    ///
    /// - Complexity: O(*n*) in the length of the list, which takes 4 bytes per key.
    public func position(of key: String, in list: EntryList) -> Int? {
        let index = memory.withLock { memory in
            memory.generation == list.generation ? memory.index(ofKey: key) : nil
        }
        return index.flatMap { list.indices.firstIndex(of: $0) }
    }
}
