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
        /// What the value means, where that alone tells it from another side's.
        public var type: String?
        /// Names the value in its store, where an author may write several at one instant.
        public var entry: String?

        /// Which of the sides it is.
        public var id: SideID { SideID(author, at: instant, entry: entry) }
        /// The value in one line, told from the other sides'.
        public var line: String { value + (type.map { "  (\($0))" } ?? "") }

        /// An author's side of a conflict.
        public init(
            author: Author, value: String, role: TextRole = .plain, instant: Timestamp,
            isWinner: Bool, reason: String, typed: TypedText?, type: String? = nil,
            entry: String? = nil
        ) {
            self.author = author
            self.value = value
            self.role = role
            self.instant = instant
            self.isWinner = isWinner
            self.reason = reason
            self.typed = typed
            self.type = type
            self.entry = entry
        }
    }

    /// A side by who wrote it and when: one author may have several. Where that leaves several of one
    /// instant, by its name too.
    public struct SideID: Hashable, Sendable {
        /// Who wrote the value.
        public var author: Author
        /// When; `nil` for the author's first side.
        public var instant: Timestamp?
        /// The name of the value in its store, where it has one.
        public var entry: String?

        /// The side of an author, written at an instant and by a name where those are known.
        public init(_ author: Author, at instant: Timestamp? = nil, entry: String? = nil) {
            self.author = author
            self.instant = instant
            self.entry = entry
        }

        /// Whether it is the side that an author wrote at an instant, by that name.
        public func names(_ author: Author, at instant: Timestamp, entry: String? = nil) -> Bool {
            self.author == author && (self.instant ?? instant) == instant
                && (self.entry ?? entry) == entry
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
        /// The places where sides changed the same differently and the newest change is taken, be it
        /// the winner's or not: members by name, `line 3`.
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

    /// The part of the row that devices disagree about; `nil`: the row as a whole.
    public var part: FieldPath?
    /// The winner first.
    public var sides: [Side]
    /// The newest row that every side had seen, where there is one.
    public var base: Side?
    /// Whether it is known that there is no such row, all that was written being here.
    public var isWithoutBase = false
    /// A value that has what each side changed; `nil` where they cannot be put together.
    public var proposal: Proposal?
    /// What a reader should know besides: `possible: this format records one parent only`.
    public var notes: [String]

    /// A conflict; the winner comes first.
    public init(
        part: FieldPath? = nil, sides: [Side], base: Side? = nil, proposal: Proposal? = nil,
        notes: [String] = []
    ) {
        self.part = part
        self.sides = sides
        self.base = base
        self.proposal = proposal
        self.notes = notes
    }

    /// How the conflict is ended in a way: with what it is about, where that is a part of its row.
    public func resolution(_ way: Edit.Resolution) -> Edit.Resolution {
        part.map { .properties([$0: way]) } ?? way
    }
}
