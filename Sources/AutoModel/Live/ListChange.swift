/// What became of a list since the last time.
public struct ListChange<Record: Sendable>: Sendable {
    /// The list as it is now.
    public internal(set) var list: LiveRows<Record>
    /// Where rows were, in the list before, that are no longer in it.
    public internal(set) var removed: [Int] = []
    /// Where rows are that were not in the list before; the first time all.
    public internal(set) var inserted: [Int] = []
    /// Rows that are among other rows than before.
    public internal(set) var moved: [ListMove] = []
    /// Where rows are now that have other values than before, whether they moved or not.
    public internal(set) var changed: [Int] = []

    /// Whether the list is what it was before.
    var isEmpty: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty && changed.isEmpty
    }
}

/// A row that was in one place of a list and is in another.
public struct ListMove: Sendable, Hashable {
    /// Where it was, in the list before.
    public let from: Int
    /// Where it is now.
    public let to: Int
}

/// Rows that are in a list before and after, by where they were, in the order in which they are now.
enum ListOrder {
    /// Which of them have moved: as few as say what happened.
    ///
    /// - Parameter offsets: Where each was.
    /// - Returns: For each whether it moved.
    /// - Complexity: O(*n* log *n*).
    static func moved(_ offsets: [Int]) -> [Bool] {
        // The longest series that still ascends stays where it is.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: offsets.count)
        for (place, offset) in offsets.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if offsets[ends[middle]] < offset { low = middle + 1 } else { high = middle }
            }
            before[place] = low == 0 ? -1 : ends[low - 1]
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var moved = [Bool](repeating: true, count: offsets.count)
        var place = ends.last ?? -1
        while place >= 0 {
            moved[place] = false
            place = before[place]
        }
        return moved
    }
}
