import Replication

extension KeyValueStore.Conflict {
    /// What the sides come to together, seen from their common base, where that is another value
    /// than any side's; `nil` where it is not, or a value is not in memory (``LogRow/isLeftInLog``).
    ///
    /// - Complexity: As ``merge``.
    public var proposal: PropertyListMerge? {
        guard let merge, merge.value != nil, values?.contains(merge.value) == false else {
            return nil
        }
        return merge
    }

    /// What the sides come to together, seen from their common base, be it what one of them has;
    /// `nil` where a value is not in memory (``LogRow/isLeftInLog``).
    ///
    /// - Complexity: O(*n* · *d*) in the size of the values and the number of their differences.
    public var merge: PropertyListMerge? {
        guard let sides = values else { return nil }
        var before: PropertyList?
        if let base {
            guard let value = Self.value(of: base) else { return nil }
            before = value
        }
        return PropertyListMerge(sides, base: before)
    }

    /// The places where the sides differ, with what each has there, the winner's first and the
    /// others in their order; none where a value is not in memory.
    ///
    /// - Complexity: O(*n*) in the size of the values.
    public var places: [DifferingPlace] { values.map { DifferingPlace.all(in: $0) } ?? [] }

    /// The values of the sides, the winner's first.
    private var values: [PropertyList?]? {
        var values: [PropertyList?] = []
        for row in [winner] + others {
            guard let value = Self.value(of: row) else { return nil }
            values.append(value)
        }
        return values
    }

    /// A row's value, `.some(nil)` for a deletion; `nil` where it is not at hand.
    private static func value(of row: LogRow) -> PropertyList?? {
        if row.isDeletion { return .some(nil) }
        if row.isLeftInLog { return nil }
        return ((try? row.value()) ?? nil).map { .some($0) }
    }
}
