/// The three-way merge of two sequences with a common ancestor, as in diff3.
struct SequenceMerge<Element: Hashable> {
    /// The merged sequence.
    var elements: [Element] = []
    /// The ranges of the base that both sides changed differently. The merged sequence has the
    /// first side's change.
    var overlaps: [Range<Int>] = []

    /// A range of the base that a side replaced.
    private struct Hunk: Equatable {
        var range: Range<Int>
        var elements: [Element]
    }

    /// Merges two sequences.
    ///
    /// - Parameter keepsBoth: Whether to keep both insertions at the same place, rather than
    ///   treating them as an overlap.
    /// - Complexity: O((*n* + *m*) · *d*) in the lengths and the number of differences.
    init(_ first: [Element], _ second: [Element], base: [Element], keepsBoth: Bool) {
        let ours = Self.hunks(from: base, to: first)
        var kept = ours
        for hunk in Self.hunks(from: base, to: second) where !ours.contains(hunk) {
            if ours.contains(where: { Self.meet($0.range, hunk.range, keepsBoth) }) {
                overlaps.append(hunk.range)
            } else {
                kept.append(hunk)
            }
        }
        // An insertion precedes a replacement of the element after it. If both sides insert at the
        // same place, the insertion of the first side comes first.
        let order = kept.indices.sorted { one, other in
            func rank(_ index: Int) -> (Int, Int, Int) {
                (kept[index].range.lowerBound, kept[index].range.isEmpty ? 0 : 1, index)
            }
            return rank(one) < rank(other)
        }
        var next = 0
        for hunk in order.map({ kept[$0] }) {
            elements += base[next..<hunk.range.lowerBound] + hunk.elements
            next = hunk.range.upperBound
        }
        elements += base[next...]
    }

    /// Returns whether two changes overlap.
    private static func meet(
        _ one: Range<Int>, _ other: Range<Int>, _ keepsBoth: Bool
    ) -> Bool {
        switch (one.isEmpty, other.isEmpty) {
        case (true, true): !keepsBoth && one == other
        case (true, false): other.lowerBound < one.lowerBound && one.lowerBound < other.upperBound
        case (false, true): one.lowerBound < other.lowerBound && other.lowerBound < one.upperBound
        case (false, false): one.overlaps(other)
        }
    }

    private static func hunks(from base: [Element], to side: [Element]) -> [Hunk] {
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in side.difference(from: base) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var hunks: [Hunk] = []
        var (index, place) = (0, 0)
        while index < base.count || place < side.count {
            guard removed.contains(index) || inserted.contains(place) else {
                (index, place) = (index + 1, place + 1)
                continue
            }
            let (start, first) = (index, place)
            while removed.contains(index) { index += 1 }
            while inserted.contains(place) { place += 1 }
            hunks.append(Hunk(range: start..<index, elements: Array(side[first..<place])))
        }
        return hunks
    }
}
