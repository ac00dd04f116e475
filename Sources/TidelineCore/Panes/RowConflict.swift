public import Replication

/// A conflict about one row: one side per concurrent value, and their common ancestor.
public struct RowConflict: Hashable, Sendable {
    /// One author's value.
    public struct Side: Hashable, Sendable {
        /// The author of the value.
        public var author: Author
        /// The value in one line, as in a list.
        public var value: String
        /// The role of the value's text, for the theme.
        public var role: TextRole
        /// The time of the write.
        public var instant: Timestamp
        /// Whether the side is the winner, whose value lists show.
        public var isWinner: Bool
        /// The reason why the side wins or loses: `newest by 2 s`, `clock 2 h ahead`.
        public var reason: String
        /// The value for merging by hand; `nil` if the side deleted the row, or if the value is
        /// damaged or too long.
        public var typed: TypedText?
        /// The type of the value, if only the type distinguishes it from another side's value.
        public var type: String?
        /// The identifier of the value in its store, if an author can write several values at the
        /// same instant.
        public var entry: String?

        /// The identifier of the side.
        public var id: SideID { SideID(author, at: instant, entry: entry) }
        /// Whether the side has a value that can't be shown as a text.
        public var isHidden: Bool { typed == nil && role != .deletion }
        /// The value in one line, distinguishable from the other sides.
        public var line: String { value + (type.map { "  (\($0))" } ?? "") }

        /// Creates a side.
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

    /// The identifier of a side. It consists of the author and the instant, because an author can
    /// have several sides. Sides with the same author and instant are distinguished by the
    /// identifier of the value.
    public struct SideID: Hashable, Sendable {
        /// The author.
        public var author: Author
        /// The time of the write; `nil` for the author's first side.
        public var instant: Timestamp?
        /// The identifier of the value in its store, if it has one.
        public var entry: String?

        /// Creates an identifier.
        public init(_ author: Author, at instant: Timestamp? = nil, entry: String? = nil) {
            self.author = author
            self.instant = instant
            self.entry = entry
        }

        /// Returns whether this identifier names the side with the given author, instant and entry.
        ///
        /// - Parameters:
        ///   - instant: The time of its write.
        ///   - entry: The identifier of its value, if it has one.
        public func names(_ author: Author, at instant: Timestamp, entry: String? = nil) -> Bool {
            self.author == author && (self.instant ?? instant) == instant
                && (self.entry ?? entry) == entry
        }
    }

    /// A merge proposal that combines several sides.
    public struct Proposal: Hashable, Sendable {
        /// The value to write.
        public var typed: TypedText
        /// The value in one line.
        public var value: String
        /// The role of the value's text, for the theme.
        public var role: TextRole
        /// The places of overlapping changes: member names, `line 3`. For these places, the newest
        /// change is proposed, even if it isn't the winner's.
        public var overlaps: [String]

        /// Creates a proposal.
        public init(
            _ typed: TypedText, value: String, role: TextRole = .plain, overlaps: [String] = []
        ) {
            self.typed = typed
            self.value = value
            self.role = role
            self.overlaps = overlaps
        }
    }

    /// The part of the row that is in conflict; `nil` for the whole row.
    public var part: FieldPath?
    /// The sides, winner first.
    public var sides: [Side]
    /// The common ancestor: the newest row that the writers of all sides had seen, if there is one.
    public var base: Side?
    /// Whether it is certain that no common ancestor exists, because all writes have arrived.
    public var isWithoutBase = false
    /// A value that combines the changes of all sides; `nil` if they can't be merged.
    public var proposal: Proposal?
    /// Further notes, for example that the log's format can't prove the conflict.
    public var notes: [String]

    /// Creates a conflict; the winner comes first.
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

    /// Returns the name of a row followed by the part in conflict. If the name already contains it,
    /// returns the name alone.
    public func title(ofRow name: String) -> String { part?.title(ofRow: name) ?? name }

    /// Returns a resolution of this conflict. If only a part of the row is in conflict, the
    /// resolution applies to that part.
    public func resolution(_ way: Edit.Resolution) -> Edit.Resolution {
        part.map { .properties([$0: way]) } ?? way
    }
}
