extension KeyValueStore.Conflict {
    /// The merged value of all sides, relative to their common ancestor, if it differs from every
    /// side's value. `nil` otherwise, or if a value is not in memory (``LogRow/isLeftInLog``).
    ///
    /// - Complexity: As ``merge``.
    public var proposal: PropertyListMerge? {
        guard let values, let merge = merge(of: values), merge.value != nil,
            !values.contains(merge.value)
        else { return nil }
        return merge
    }

    /// The merged value of all sides, relative to their common ancestor, even if it equals a side's
    /// value. `nil` if a value is not in memory (``LogRow/isLeftInLog``).
    ///
    /// - Complexity: O(*n* · *d*) in the size of the values and the number of their differences.
    public var merge: PropertyListMerge? { values.flatMap(merge) }

    /// Returns the places where the sides differ, with the value of each side, the winner's first
    /// and the others in order. Returns no places if a value is not in memory.
    ///
    /// - Parameter limit: The maximum number of places.
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

    /// The values of the sides, the winner's first; `nil` if a value is not in memory.
    private var values: [PropertyList?]? {
        var values: [PropertyList?] = []
        for row in rows {
            guard let value = Self.value(of: row) else { return nil }
            values.append(value)
        }
        return values
    }

    /// Returns a row's value, `.some(nil)` for a deletion, or `nil` if the value is not in memory.
    private static func value(of row: LogRow) -> PropertyList?? {
        if row.isDeletion { return .some(nil) }
        if row.isLeftInLog { return nil }
        return ((try? row.value()) ?? nil).map { .some($0) }
    }
}
