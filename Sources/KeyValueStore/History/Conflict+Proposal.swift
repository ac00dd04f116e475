import Replication

extension KeyValueStore.Conflict {
    /// What the sides come to together, seen from their common base, where that is another value
    /// than any side's; `nil` where it is not, or a value is not in memory (``LogRow/isLeftInLog``).
    ///
    /// - Complexity: As ``merge``.
    public var proposal: PropertyListMerge? {
        guard let values, let merge = merge(of: values), merge.value != nil,
            !values.contains(merge.value)
        else { return nil }
        return merge
    }

    /// What the sides come to together, seen from their common base, be it what one of them has;
    /// `nil` where a value is not in memory (``LogRow/isLeftInLog``).
    ///
    /// - Complexity: O(*n* · *d*) in the size of the values and the number of their differences.
    public var merge: PropertyListMerge? { values.flatMap(merge) }

    /// The places where the sides differ, with what each has there, the winner's first and the
    /// others in their order; none where a value is not in memory.
    ///
    /// - Parameter limit: The most places that are found.
    /// - Complexity: O(*n*) in the size of the values.
    public func places(limit: Int = 1_000) -> [DifferingPlace] {
        values.map { DifferingPlace.all(in: $0, limit: limit) } ?? []
    }

    private func merge(of sides: [PropertyList?]) -> PropertyListMerge? {
        var before: PropertyList?
        if let base {
            guard let value = Self.value(of: base) else { return nil }
            before = value
        }
        return PropertyListMerge(sides, base: before)
    }

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
