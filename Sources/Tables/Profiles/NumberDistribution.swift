/// The distribution of numbers that are added in ascending order.
///
/// The use of memory is limited. Equal numbers are counted together. If there are more than a few
/// thousand different numbers, neighboring numbers are also counted together.
public struct NumberDistribution: Hashable, Sendable {
    /// A range of numbers and the number of rows in it.
    public struct Bin: Hashable, Sendable {
        /// The start of the range.
        public let lowerBound: Double
        /// The end of the range. A number equal to the end belongs to the next range; in the last
        /// range, it belongs to that range.
        public let upperBound: Double
        /// The number of rows.
        public let count: Int
    }

    private struct Group: Hashable {
        var low: Double
        var high: TableValue
        var count: Int
    }

    /// The number of rows.
    public private(set) var count = 0
    /// The number of rows with an infinite number. The histogram leaves them out.
    public private(set) var infiniteCount = 0
    /// The smallest number; `nil` if there is none.
    public private(set) var minimum: TableValue?
    /// The greatest number.
    public private(set) var maximum: TableValue?
    private var groups: [Group] = []
    /// The sum and its accumulated rounding error, both scaled down so that neither can overflow.
    private var sum = 0.0
    private var lost = 0.0
    private static let scale = 0x1p-64

    /// The maximum number of groups between two reductions. With fewer different numbers, quantiles
    /// are exact; otherwise their rank differs by at most a thousandth of the rows.
    static let groupLimit = 8192

    /// Creates an empty distribution.
    public init() {}

    /// Creates the distribution of counted values in any order. Values that aren't numbers, and
    /// NaN, are ignored.
    init(_ values: [(value: TableValue, count: Int)]) {
        let numbers = values.compactMap { value, count in
            value.number.map { (number: $0, value: value, count: count) }
        }.filter { !$0.number.isNaN }
        for (_, value, count) in numbers.sorted(by: { $0.number < $1.number }) {
            add(value, count)
        }
    }

    /// The arithmetic mean; `nil` without numbers.
    public var mean: Double? {
        guard count > 0 else { return nil }
        let sum = sum.isFinite ? sum + lost : sum
        return sum / Double(count) / Self.scale
    }

    /// Adds a number that is not less than those before.
    mutating func add(_ value: TableValue, _ rows: Int) {
        guard let number = value.number else { return }
        count += rows
        if !number.isFinite { infiniteCount += rows }
        if minimum == nil { minimum = value }
        maximum = value
        groups.append(Group(low: number, high: value, count: rows))
        if groups.count == Self.groupLimit { reduce() }
        let term = number * Self.scale * Double(rows)
        let next = sum + term
        lost += sum.magnitude >= term.magnitude ? (sum - next) + term : (term - next) + sum
        sum = next
    }

    /// Merges neighboring groups, up to a maximum count per group. Because of this maximum, a
    /// frequent number keeps a separate group. Infinite numbers aren't merged with finite ones.
    private mutating func reduce() {
        let most = max(1, 4 * count / Self.groupLimit)
        var merged: [Group] = []
        for group in groups {
            if let last = merged.last, last.count + group.count <= most,
                last.low.isFinite, group.high.number?.isFinite ?? false
            {
                merged[merged.count - 1] = Group(
                    low: last.low, high: group.high, count: last.count + group.count)
            } else {
                merged.append(group)
            }
        }
        groups = merged
    }

    /// Returns a quantile: the smallest number for which at least the share `part` of all numbers
    /// is less or equal. Returns `nil` if there are no numbers.
    public func quantile(_ part: Double) -> TableValue? {
        let rank = max(1, Int((part * Double(count)).rounded(.up)))
        var passed = 0
        for group in groups {
            passed += group.count
            if passed >= rank { return group.high }
        }
        return maximum
    }

    /// Returns the finite numbers in ranges of equal width.
    public func histogram(_ binCount: Int = 10) -> [Bin] {
        let finite = groups.filter { $0.low.isFinite && ($0.high.number?.isFinite ?? false) }
        guard let first = finite.first?.low, let last = finite.last?.high.number else { return [] }
        // Halve the numbers, so that the difference of two finite numbers is finite.
        let width = (last / 2 - first / 2) / Double(binCount)
        guard width > 0, binCount > 0 else {
            return [
                Bin(
                    lowerBound: first, upperBound: last,
                    count: finite.reduce(0) { $0 + $1.count })
            ]
        }
        var counts = Array(repeating: 0, count: binCount)
        for group in finite {
            let number = group.high.number ?? first
            let index = ((number / 2 - first / 2) / width).rounded(.down)
            counts[min(binCount - 1, max(0, Int(index)))] += group.count
        }
        let bounds = (0...binCount).map { index in
            index == binCount ? last : 2 * (first / 2 + width * Double(index))
        }
        return counts.indices.map {
            Bin(lowerBound: bounds[$0], upperBound: bounds[$0 + 1], count: counts[$0])
        }
    }

    /// Guesses the epoch of the numbers; see ``Epoch/guess(column:values:)``.
    public func epoch(of column: ColumnSchema) -> Epoch? {
        Epoch.guess(column: column, values: groups.lazy.map(\.high))
    }
}

extension TableValue {
    /// The value of a number.
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text, .malformedText, .blob, .unread: nil
        }
    }
}
