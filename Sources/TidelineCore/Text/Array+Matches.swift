extension Array where Element: Hashable {
    /// Returns, for each element, the index of the same element in a base; `nil` for added
    /// elements. The order of the elements is the same in both.
    ///
    /// - Parameter limit: The maximum number of elements to compare. If the differing range has
    ///   more elements, this range has no matches.
    /// - Complexity: O(*n* + *m*) in the lengths of the arrays, plus O(*d*²) in the number of
    ///   elements to compare.
    func matches(in base: Self, limit: Int) -> [Int?] {
        let (start, end) = commonEnds(with: base)
        var matches = [Int?](repeating: nil, count: count)
        for index in 0..<start { matches[index] = index }
        for index in 0..<end { matches[count - 1 - index] = base.count - 1 - index }
        let (old, new) = (base[start..<base.count - end], self[start..<count - end])
        guard old.count <= limit, new.count <= limit else { return matches }
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        // Offsets are relative to the compared part.
        for change in Array(new).difference(from: Array(old)) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        let kept = old.indices.filter { !removed.contains($0 - start) }
        let found = new.indices.filter { !inserted.contains($0 - start) }
        for (index, match) in zip(found, kept) { matches[index] = match }
        return matches
    }

    /// Returns how many elements at the start, and how many at the end, are the same as in `base`.
    private func commonEnds(with base: Self) -> (start: Int, end: Int) {
        let start = zip(base, self).prefix { $0 == $1 }.count
        let longest = Swift.min(base.count, count) - start
        let end = zip(base.reversed(), reversed()).prefix { $0 == $1 }.prefix(longest).count
        return (start, end)
    }
}
