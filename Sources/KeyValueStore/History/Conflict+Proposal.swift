import Replication

extension KeyValueStore.Conflict {
    /// What the sides come to together, seen from their common base, where that is another value
    /// than any side's; `nil` where it is not, or a value is not in memory (``LogRow/isLeftInLog``).
    ///
    /// - Complexity: O(*n* · *d*) in the size of the values and the number of their differences.
    public var proposal: PropertyListMerge? {
        var sides: [PropertyList?] = []
        for row in [winner] + others {
            guard let value = Self.value(of: row) else { return nil }
            sides.append(value)
        }
        var before: PropertyList?
        if let base {
            guard let value = Self.value(of: base) else { return nil }
            before = value
        }
        let merge = PropertyListMerge(sides, base: before)
        return merge.value == nil || sides.contains(merge.value) ? nil : merge
    }

    /// A row's value, `.some(nil)` for a deletion; `nil` where it is not at hand.
    private static func value(of row: LogRow) -> PropertyList?? {
        if row.isDeletion { return .some(nil) }
        if row.isLeftInLog { return nil }
        return ((try? row.value()) ?? nil).map { .some($0) }
    }
}
