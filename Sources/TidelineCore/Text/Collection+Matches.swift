extension RandomAccessCollection where Element: Hashable, Index == Int {
    /// Returns, for each element, the offset of the same element in a base; `nil` for added
    /// elements. The order of the elements is the same in both.
    ///
    /// - Parameter limit: The maximum number of elements to compare. If the differing range has
    ///   more elements, it has no matches.
    /// - Complexity: O(*n* + *m*) in the lengths of the collections, plus O(*d*²) in the number of
    ///   elements to compare.
    func matches(in base: Self, limit: Int) -> [Int?] {
        let (start, end) = commonEnds(with: base)
        var matches = [Int?](repeating: nil, count: count)
        for index in 0..<start { matches[index] = index }
        for index in 0..<end { matches[count - 1 - index] = base.count - 1 - index }
        let (oldCount, newCount) = (base.count - start - end, count - start - end)
        guard oldCount <= limit, newCount <= limit else { return matches }
        // Offsets are relative to the compared part.
        let old = Array(base.dropFirst(start).prefix(oldCount))
        let new = Array(dropFirst(start).prefix(newCount))
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        let kept = old.indices.filter { !removed.contains($0) }
        let found = new.indices.filter { !inserted.contains($0) }
        for (index, match) in zip(found, kept) { matches[start + index] = start + match }
        return matches
    }

    /// Returns how many elements at the start, and how many at the end, are the same as in `base`.
    /// Allocates nothing, because the collections can have millions of elements.
    func commonEnds(with base: Self) -> (start: Int, end: Int) {
        let shorter = Swift.min(base.count, count)
        let start =
            (0..<shorter).first { base[base.startIndex + $0] != self[startIndex + $0] } ?? shorter
        let rest = shorter - start
        let end =
            (0..<rest).first { base[base.endIndex - 1 - $0] != self[endIndex - 1 - $0] } ?? rest
        return (start, end)
    }
}
