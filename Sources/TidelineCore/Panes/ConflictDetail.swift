public import Replication

/// The details of one conflict: the fields in which its sides differ, and its history.
public struct ConflictDetail: Hashable, Sendable {
    /// A field in which the sides differ. All sides are maps, and the field is one of their members.
    public struct Field: Hashable, Sendable {
        /// The value of one side in the field.
        public struct Value: Hashable, Sendable {
            /// The value in one line.
            public var line: String
            /// The role of the text, for the theme.
            public var role: TextRole

            /// Creates a value from its line.
            public init(_ line: String, _ role: TextRole = .plain) {
                self.line = line
                self.role = role
            }
        }

        /// The path of the field.
        public var path: FieldPath
        /// The value of each side, in the order of the sides; `nil` if the side has none.
        public var values: [Value?]
        /// The value in the common ancestor (base).
        public var base: Value?
        /// The merged value.
        public var merged: Value?
        /// The first side that has the merged value; `nil` if the merged value combines several
        /// sides.
        public var proposed: Int?
    }

    /// A write to the row: a new value, or a deletion.
    public struct Write: Hashable, Sendable {
        /// The writer.
        public var author: Author
        /// The time of the write.
        public var instant: Timestamp
        /// The value in one line, as in a list.
        public var value: String
        /// The role of the value's text, for the theme.
        public var role = TextRole.plain
        /// The causal parents of the write, as indexes into ``ConflictDetail/writes``. Parents that
        /// aren't listed are left out.
        public var parents: [Int] = []
        /// The index of the side that this write provides; `nil` if it provides none.
        public var side: Int?
        /// Whether the write is the common ancestor of all sides.
        public var isBase = false
    }

    /// The conflicting sides, in the order of ``RowConflict/sides``.
    public var sides: [RowConflict.SideID]
    /// The fields in which the sides differ, if their values have fields. A side can be chosen for
    /// each field separately (`Edit.Resolution.picks`).
    public var fields: [Field] = []
    /// The number of further fields that aren't listed.
    public var otherFields = 0
    /// The writes from the common ancestor to the sides, newest first.
    public var writes: [Write] = []
    /// Whether older writes exist that aren't listed.
    public var hasMoreWrites = false
}
