public import Replication

/// What devices disagree about in one row: a side for each value, and what they started from.
public struct RowConflict: Hashable, Sendable {
    /// One author's value.
    public struct Side: Hashable, Sendable {
        /// Who wrote the value.
        public var author: Author
        /// The value in one line, as the list shows it.
        public var value: String
        /// What the value is, for the theme.
        public var role: TextRole
        /// When it was written.
        public var instant: Timestamp
        /// Whether it is the one that is shown.
        public var isWinner: Bool
        /// Why it won, or did not: `newest`, `wrote without seeing ipad's`, `clock 2 h ahead`.
        public var reason: String
        /// The value to edit when sides are merged by hand; `nil`: the side took the row away.
        public var typed: TypedText?

        /// An author's side of a conflict.
        public init(
            author: Author, value: String, role: TextRole = .plain, instant: Timestamp,
            isWinner: Bool, reason: String, typed: TypedText?
        ) {
            self.author = author
            self.value = value
            self.role = role
            self.instant = instant
            self.isWinner = isWinner
            self.reason = reason
            self.typed = typed
        }
    }

    /// What the sides come to together, taken from more than one of them.
    public struct Proposal: Hashable, Sendable {
        /// The value to write.
        public var typed: TypedText
        /// It in one line.
        public var value: String
        /// What it is, for the theme.
        public var role: TextRole
        /// The places where sides changed the same differently and the winner's is taken: members
        /// by name, `line 3`.
        public var overlaps: [String]

        /// A proposal.
        public init(
            _ typed: TypedText, value: String, role: TextRole = .plain, overlaps: [String] = []
        ) {
            self.typed = typed
            self.value = value
            self.role = role
            self.overlaps = overlaps
        }
    }

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

    /// The winner first.
    public var sides: [Side]
    /// The newest row that every side had seen, where there is one.
    public var base: Side?
    /// A value that has what each side changed; `nil` where they cannot be put together.
    public var proposal: Proposal?
    /// The parts in which the sides differ, where their values have such; each can be chosen by
    /// itself (`Edit.Resolution.picks`).
    public var fields: [Field]
    /// What a reader should know besides: `possible: this format records one parent only`.
    public var notes: [String]

    /// A conflict; the winner comes first.
    public init(
        sides: [Side], base: Side? = nil, proposal: Proposal? = nil, fields: [Field] = [],
        notes: [String] = []
    ) {
        self.sides = sides
        self.base = base
        self.proposal = proposal
        self.fields = fields
        self.notes = notes
    }
}
