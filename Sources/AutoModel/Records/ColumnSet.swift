/// A set of columns by their numbers; the first 64 take no memory of their own.
public struct ColumnSet: Sendable, Equatable {
    private var low: UInt64 = 0
    private var rest: [UInt64]?

    static let empty = ColumnSet()

    var isEmpty: Bool { low == 0 && (rest?.allSatisfy { $0 == 0 } ?? true) }

    func contains(_ column: Int) -> Bool {
        if column < 64 { return low & (1 << UInt64(column)) != 0 }
        let word = column / 64 - 1
        guard let rest, word < rest.count else { return false }
        return rest[word] & (1 << UInt64(column % 64)) != 0
    }

    mutating func insert(_ column: Int) {
        if column < 64 {
            low |= 1 << UInt64(column)
            return
        }
        let word = column / 64 - 1
        var words = rest ?? []
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(column % 64)
        rest = words
    }

    mutating func formUnion(_ other: ColumnSet) {
        low |= other.low
        guard let theirs = other.rest else { return }
        var words = rest ?? []
        while words.count < theirs.count { words.append(0) }
        for (index, word) in theirs.enumerated() { words[index] |= word }
        rest = words
    }
}
