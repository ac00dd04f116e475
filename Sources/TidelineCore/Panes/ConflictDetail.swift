public import Replication

/// What is asked of a conflict when a person looks at it alone: the parts in which its sides differ,
/// and how it came about.
public struct ConflictDetail: Hashable, Sendable {
    /// A part of the values in which the sides differ: a member of the dictionaries that all are.
    public struct Field: Hashable, Sendable {
        /// What somebody has there.
        public struct Value: Hashable, Sendable {
            /// It in one line.
            public var line: String
            /// What it is, for the theme.
            public var role: TextRole

            /// A value in one line.
            public init(_ line: String, _ role: TextRole = .plain) {
                self.line = line
                self.role = role
            }
        }

        /// Where it is.
        public var path: FieldPath
        /// What each side has there, in the order of the sides; `nil`: nothing.
        public var values: [Value?]
        /// What the sides started from.
        public var base: Value?
        /// What the sides come to together.
        public var merged: Value?
        /// The first side that has that; `nil` where it has parts of several.
        public var proposed: Int?

        /// A part in which the sides differ.
        public init(
            path: FieldPath, values: [Value?], base: Value? = nil, merged: Value? = nil,
            proposed: Int? = nil
        ) {
            self.path = path
            self.values = values
            self.base = base
            self.merged = merged
            self.proposed = proposed
        }
    }

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
        /// ``ConflictDetail/writes``; those that are not listed are left out.
        public var knows: [Int]
        /// Its place among the sides, where it is one of them.
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

    /// The sides that it is about, in the order of ``RowConflict/sides``.
    public var sides: [RowConflict.SideID]
    /// The parts in which the sides differ, where their values have such; each can be chosen by
    /// itself (`Edit.Resolution.picks`).
    public var fields: [Field]
    /// How many more such parts there are.
    public var otherFields: Int
    /// The writes that led from what the sides started from to them, the newest first.
    public var writes: [Write]
    /// Whether there are older ones that are not listed.
    public var hasMoreWrites: Bool

    /// What is known of a conflict between some sides.
    public init(
        sides: [RowConflict.SideID], fields: [Field] = [], otherFields: Int = 0,
        writes: [Write] = [], hasMoreWrites: Bool = false
    ) {
        self.sides = sides
        self.fields = fields
        self.otherFields = otherFields
        self.writes = writes
        self.hasMoreWrites = hasMoreWrites
    }
}
