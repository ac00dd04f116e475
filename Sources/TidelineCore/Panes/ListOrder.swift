import Replication

/// The order of a list's items by one of its columns.
struct ListOrder<Item>: Sendable {
    /// The sort keys of a list. All keys have the same type, and are stored without wrappers.
    struct Keys {
        /// Adds the key of the next item.
        let append: (Item) -> Void
        /// Returns the indexes of the items in order. Equal items stay in list order.
        let sorted: (_ isDescending: Bool) -> [Int]
    }

    /// Creates the sort keys; `nil` if the list already has this order.
    let makeKeys: (@Sendable () -> Keys)?

    /// The order that the list already has.
    static var asListed: Self { Self(makeKeys: nil) }

    /// Returns the order of keys, ascending unless `isReversed`. Each key is computed once.
    static func by<Key: Comparable & SendableMetatype>(
        isReversed: Bool = false, _ key: @escaping @Sendable (Item) -> Key
    ) -> Self {
        Self {
            var keys: [Key] = []
            return Keys {
                keys.append(key($0))
            } sorted: { isDescending in
                let isDescending = isDescending != isReversed
                return keys.indices.sorted { lhs, rhs in
                    let (a, b) = (keys[lhs], keys[rhs])
                    if a < b { return !isDescending }
                    if b < a { return isDescending }
                    return lhs < rhs
                }
            }
        }
    }
}

/// The order of the contents of cells: instants by time, numbers by size, and everything else in
/// the natural order of texts.
struct CellOrder: Comparable {
    private let instant: Timestamp?
    private let number: Double?
    /// The number that the text represents, if the value is shown as a number.
    private let shownNumber: Double?
    private let text: String

    init(_ cell: RowCell) {
        instant = cell.instant
        number = cell.value?.number?.real
        shownNumber = cell.role == .number ? Double(cell.text) : nil
        text = cell.text
    }

    static func < (lhs: Self, rhs: Self) -> Bool {
        if let left = lhs.instant, let right = rhs.instant { return left < right }
        if let left = lhs.number, let right = rhs.number { return left < right }
        if let left = lhs.shownNumber, let right = rhs.shownNumber { return left < right }
        return NaturalText(lhs.text) < NaturalText(rhs.text)
    }
}
