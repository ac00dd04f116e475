public import Replication

/// The writes that led to a conflict about a row: from what its sides started from to the sides.
public struct RowLineage: Hashable, Sendable {
    /// That somebody gave the row a value, or took it away.
    public struct Write: Hashable, Sendable {
        /// Who wrote it.
        public var author: Author
        /// When.
        public var instant: Timestamp
        /// The value in one line, as a list shows it.
        public var value: String
        /// What the value is, for the theme.
        public var role: TextRole
        /// The older writes that its writer had seen and built on, by their places in
        /// ``RowLineage/writes``; those that are not listed are left out.
        public var knows: [Int]
        /// Its place among ``RowConflict/sides``, where it is one of them.
        public var side: Int?
        /// Whether it is what all sides started from.
        public var isBase: Bool

        /// A write.
        public init(
            author: Author, instant: Timestamp, value: String, role: TextRole = .plain,
            knows: [Int] = [], side: Int? = nil, isBase: Bool = false
        ) {
            self.author = author
            self.instant = instant
            self.value = value
            self.role = role
            self.knows = knows
            self.side = side
            self.isBase = isBase
        }
    }

    /// The newest first.
    public var writes: [Write]
    /// Whether there are older ones that are not listed.
    public var hasMore: Bool

    /// A lineage of writes, the newest first.
    public init(_ writes: [Write], hasMore: Bool = false) {
        self.writes = writes
        self.hasMore = hasMore
    }
}
