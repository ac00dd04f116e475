/// A set of column numbers. Sets of the first 64 columns need no allocation.
@usableFromInline enum ColumnSet: Sendable, Equatable {
    case first(UInt64)
    /// One bit per column, in words of 64 bits. Used if a column is beyond the 64th.
    case many([UInt64])

    static let empty = ColumnSet.first(0)

    /// Returns the set of the first columns.
    static func first(count: Int) -> ColumnSet {
        var columns = empty
        for column in 0..<count { columns.insert(column) }
        return columns
    }

    var isEmpty: Bool { self == .empty }

    @usableFromInline func contains(_ column: Int) -> Bool {
        let (word, bit) = (column / 64, UInt64(1) << UInt64(column % 64))
        return switch self {
        case .first(let columns): word == 0 && columns & bit != 0
        case .many(let words): word < words.count && words[word] & bit != 0
        }
    }

    @usableFromInline mutating func insert(_ column: Int) {
        let (word, bit) = (column / 64, UInt64(1) << UInt64(column % 64))
        if case .first(let columns) = self, word == 0 {
            self = .first(columns | bit)
            return
        }
        var words = words
        while words.count <= word { words.append(0) }
        words[word] |= bit
        self = .many(words)
    }

    mutating func formUnion(_ other: ColumnSet) {
        if case .first(let columns) = self, case .first(let others) = other {
            self = .first(columns | others)
            return
        }
        var words = words
        let others = other.words
        while words.count < others.count { words.append(0) }
        for (index, word) in others.enumerated() { words[index] |= word }
        self = .many(words)
    }

    private var words: [UInt64] {
        switch self {
        case .first(let columns): [columns]
        case .many(let words): words
        }
    }
}
