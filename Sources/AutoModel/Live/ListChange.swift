import Replication

/// The difference between two states of a live list.
public struct ListChange<Record: Sendable>: Sendable {
    /// The current list.
    public internal(set) var list: LiveRows<Record>
    /// The former offsets of rows that left the list.
    public internal(set) var removed: [Int] = []
    /// The current offsets of rows that are new in the list. In the first change, these are all
    /// rows.
    public internal(set) var inserted: [Int] = []
    /// The remaining rows whose relative order changed.
    public internal(set) var moved: [ListMove] = []
    /// The current offsets of rows with new values, moved or not.
    public internal(set) var changed: [Int] = []

    /// Whether the old and the new list are equal.
    var isEmpty: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty && changed.isEmpty
    }
}

/// A row that moved within a list.
public struct ListMove: Sendable, Hashable {
    /// The row's former offset.
    public let from: Int
    /// The row's current offset.
    public let to: Int
}

extension ListMove {
    /// Returns the smallest set of moves that results in the new order.
    ///
    /// - Parameter staying: The rows that remain in the list, in their current order.
    /// - Complexity: O(*n* log *n*).
    static func moves(among staying: [ListMove]) -> [ListMove] {
        // The longest increasing subsequence stays in place.
        let offsets = staying.map(\.from)
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: offsets.count)
        for (place, offset) in offsets.enumerated() {
            let length = ends.indices.firstPosition { offsets[ends[$0]] >= offset }
            before[place] = length == 0 ? -1 : ends[length - 1]
            if length == ends.count { ends.append(place) } else { ends[length] = place }
        }
        var moved = [Bool](repeating: true, count: offsets.count)
        var place = ends.last ?? -1
        while place >= 0 {
            moved[place] = false
            place = before[place]
        }
        return zip(staying, moved).filter(\.1).map(\.0)
    }
}
