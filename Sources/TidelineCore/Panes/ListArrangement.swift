import Replication

/// Filters and sorts a list's items incrementally, so that not all items need to be in memory.
struct ListArrangement<Item> {
    private let filter: Filter
    private let schema: ListSchema<Item>
    /// The instant that ages are relative to.
    private let now: Timestamp
    private let isDescending: Bool
    private let order: ListOrder<Item>?
    private let keys: ListOrder<Item>.Keys?
    private var count = 0
    /// The positions of the items that match.
    private var kept: [Int] = []

    /// Creates an arrangement without items.
    init(_ filter: Filter, _ sort: RowQuery.Sort?, _ schema: ListSchema<Item>, now: Timestamp) {
        self.filter = filter
        self.schema = schema
        self.now = now
        isDescending = sort?.isDescending ?? false
        order = sort.flatMap { schema.order(by: $0.column) }
        keys = order?.makeKeys?()
    }

    /// Adds the next items of the list.
    mutating func take(_ items: [Item]) {
        for (offset, item) in items.enumerated()
        where filter.isEmpty || filter.passes(schema.subject(item, now: now)) {
            kept.append(count + offset)
            keys?.append(item)
        }
        count += items.count
    }

    /// The positions of the items that match, in sort order.
    var positions: [Int] {
        if let keys { return keys.sorted(isDescending).map { kept[$0] } }
        return order != nil && isDescending ? kept.reversed() : kept
    }
}
