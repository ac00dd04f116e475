public import Replication

/// A list that the screen shows a window of: keys, log rows, conflicts, entities, servers.
///
/// A source answers for the rows that are looked at and no others, so a million rows cost what the
/// visible ones cost. It is used from any thread; its answers are snapshots.
@dynamicMemberLookup
public protocol RowSource: AnyObject, Sendable {
    /// What is known of the list without asking for rows; each member of it is one of the source.
    var info: ListInfo { get }

    /// The rows around a position.
    ///
    /// - Throws: ``FilterError`` for a filter that does not parse or names what is not there.
    func window(_ request: WindowRequest) async throws -> RowWindow
    /// All about one row, for the inspector; `nil` when the row is gone.
    ///
    /// - Throws: What reading the store meets.
    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail?
    /// All about one row of the rows that answer a query: of a row that stands for several things,
    /// about those that the query leaves.
    ///
    /// - Throws: ``FilterError``; what reading the store meets.
    func detail(of row: RowID, in query: RowQuery) async throws -> Detail?
    /// The list inside a row (the entities of a type, the servers of a group), or `nil` when a row
    /// holds none and opening it means looking at its detail.
    ///
    /// - Parameter instant: When the row was seen; `nil`: now. The list itself is asked for rows of
    ///   any instant.
    /// - Throws: What reading the store meets.
    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)?
    /// What devices disagree about in a row, or `nil` when they agree; of several properties, one.
    ///
    /// - Throws: What reading the store meets.
    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict?
    /// All that devices disagree about in a row, where that may be several of its properties.
    ///
    /// - Throws: What reading the store meets.
    func conflicts(of row: RowID, at instant: Timestamp?) async throws -> [RowConflict]
    /// The parts in which the sides of the conflict about a row differ, and the writes that led to
    /// it; `nil` when devices agree, or where that is not known.
    ///
    /// - Throws: What reading the store meets.
    func conflictDetail(of row: RowID, at instant: Timestamp?) async throws -> ConflictDetail?
    /// What the sides of the conflict about a row come to with what some of them have at some places
    /// (``Edit/Resolution/picks(_:)``); `nil` when devices agree, or where sides have no such places.
    ///
    /// - Throws: What reading the store meets; ``EditError`` for places in which sides do not differ.
    func proposal(
        of row: RowID, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) async throws -> RowConflict.Proposal?
    /// The value of a row (or of a part of it) as text to edit.
    ///
    /// - Throws: What reading the store meets.
    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText?
    /// The value that a row had at an instant, in the forms that can be copied.
    ///
    /// - Throws: What reading the store meets.
    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm]
    /// Rows of a window of an instant as values, for files: whole, in the forms of the command line.
    ///
    /// - Throws: What reading the store meets.
    func records(of rows: [Row], at instant: Timestamp?) async throws -> [RowRecord]
    /// What is known to be the value of a field of its filter in the rows that answer a query, in
    /// any order; of a long list, in the first of them.
    ///
    /// - Throws: ``FilterError``; what reading the store meets.
    func values(of field: FilterField, in query: RowQuery) async throws -> [String]
    /// Shows the numbers of columns in other forms from now on: names of forms by identifiers of
    /// columns. What is not there is passed over.
    ///
    /// - Throws: What reading the store meets.
    func showNumbers(_ forms: [String: String]) async throws
    /// The nearest instant after (or before) `instant` at which what a row is about was written.
    ///
    /// - Throws: What reading the store meets.
    func step(of row: RowID, from instant: Timestamp, backwards: Bool) async throws -> RowStep
    /// The rows whose names begin with a text and that are not as they were at an instant, those
    /// included that are there no more.
    ///
    /// - Throws: ``EditError``, `.unsupported`, where rows have no such names; what reading the
    ///   store meets.
    func changedRows(under prefix: String, since instant: Timestamp) async throws -> [RowID]
    /// Lets go of what is held to answer for instants faster: nobody looks at the past any more.
    func forgetPast()
    /// What an edit would write, for a person to confirm. Writes nothing.
    ///
    /// - Throws: ``EditError`` for an edit that cannot be made: `.unsupported`, `.readOnly`,
    ///   `.invalid`, `.notFound`, `.unreadable`.
    func preview(_ edit: Edit) async throws -> EditPreview
    /// Writes what was previewed, unless what it was made on has moved meanwhile.
    ///
    /// - Throws: ``EditError`` with code `.moved` when it has: nothing is written then.
    func apply(_ preview: EditPreview) async throws -> AppliedEdit
}

extension RowSource {
    /// What ``ListInfo`` says.
    public subscript<Value>(dynamicMember member: KeyPath<ListInfo, Value>) -> Value {
        info[keyPath: member]
    }
    /// All about the row: it is the same whatever is beside it.
    ///
    /// - Throws: What reading the store meets.
    public func detail(of row: RowID, in query: RowQuery) async throws -> Detail? {
        try await detail(of: row, at: query.instant)
    }
    /// Nothing is held.
    public func forgetPast() {}
    /// `nil`: devices cannot disagree here.
    public func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        nil
    }
    /// What is known of the row: no list but one of rows with properties has more.
    ///
    /// - Throws: What reading the store meets.
    public func conflicts(of row: RowID, at instant: Timestamp?) async throws -> [RowConflict] {
        try await conflict(of: row, at: instant).map { [$0] } ?? []
    }
    /// `nil`: no more is known than the sides.
    public func conflictDetail(
        of row: RowID, at instant: Timestamp?
    ) async throws -> ConflictDetail? { nil }
    /// `nil`: sides have no places to pick from.
    public func proposal(
        of row: RowID, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) async throws -> RowConflict.Proposal? { nil }
    /// `nil`: no row holds a list.
    public func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? { nil }
    /// `nil`: nothing can be edited.
    public func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? { nil }
    /// None.
    public func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] { [] }
    /// Does nothing: numbers have one form.
    public func showNumbers(_ forms: [String: String]) async throws {}
    /// The list does not know: whoever asks looks through all that was written.
    public func step(
        of row: RowID, from instant: Timestamp, backwards: Bool
    ) async throws -> RowStep { .unknown }
    /// Refuses: the rows have no names that begin alike.
    ///
    /// - Throws: ``EditError``, `.unsupported`.
    public func changedRows(
        under prefix: String, since instant: Timestamp
    ) async throws -> [RowID] {
        throw EditError(
            .unsupported, "\(info.title) are not taken back by the beginning of their names")
    }
    /// What an edit would write over a value that somebody had before them while they typed.
    ///
    /// Where another value is there by now, ``EditPreview/overtaken`` is the one they saw.
    ///
    /// - Parameter seen: What ``editableValue(of:field:)`` was when the edit began; `nil`: nothing.
    /// - Throws: ``EditError`` for an edit that cannot be made, as ``preview(_:)`` does.
    public func preview(_ edit: Edit, typedOver seen: TypedText?) async throws -> EditPreview {
        var preview = try await preview(edit)
        if let seen, case .set(let row, let field, _) = edit,
            try await editableValue(of: row, field: field) != seen
        {
            preview.overtaken = seen
        }
        return preview
    }
    /// Refuses every edit.
    ///
    /// - Throws: ``EditError``, `.unsupported`.
    public func preview(_ edit: Edit) async throws -> EditPreview {
        throw EditError(.unsupported, "nothing can be written here")
    }
    /// Refuses every edit.
    ///
    /// - Throws: ``EditError``, `.unsupported`.
    public func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        throw EditError(.unsupported, "nothing can be written here")
    }
}

/// The identity of a row within its source. It outlives changes of the row's content and place.
///
/// Two are equal when their bytes are: names that only look the same, as `é` in its two
/// encodings, are names of two rows.
public struct RowID: Hashable, Sendable {
    /// What the source calls the row; unique in it.
    public let name: String
    /// The row that its source calls so.
    public init(_ name: String) { self.name = name }

    /// Whether both names have the same bytes.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.name.utf8.elementsEqual(rhs.name.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A step in time from write to write of one row.
public enum RowStep: Hashable, Sendable {
    /// The instant of the next write.
    case at(Timestamp)
    /// There is no write further that way.
    case none
    /// The list does not know when its rows were written.
    case unknown
}

/// Which rows of a source, in which order, at which instant.
public struct RowQuery: Hashable, Sendable {
    /// An order by one column.
    public struct Sort: Hashable, Sendable {
        /// The column's identifier.
        public var column: String
        /// Whether the greatest comes first.
        public var isDescending: Bool
        /// The order by that column, smallest first unless it is to be descending.
        public init(column: String, isDescending: Bool = false) {
            self.column = column
            self.isDescending = isDescending
        }
    }

    /// The filter as typed; empty: every row.
    public var filter: String
    /// `nil`: the source's own order.
    public var sort: Sort?
    /// The state of the store at an instant of its past; `nil`: now.
    public var instant: Timestamp?

    /// Every row, now, in the source's own order, unless something else is said.
    public init(filter: String = "", sort: Sort? = nil, instant: Timestamp? = nil) {
        self.filter = filter
        self.sort = sort
        self.instant = instant
    }
}

/// Which part of a list is asked for.
public struct WindowRequest: Hashable, Sendable {
    /// Where a window is.
    public enum Position: Hashable, Sendable {
        /// The window starts at this row number, held to the list.
        case index(Int)
        /// The window holds this row, `offset` rows below its top. When the row is gone, the one
        /// that now stands where it stood, `fallback`.
        case row(RowID, offset: Int, fallback: Int)
        /// The window starts with the first row after `index` (before, when `backwards`) whose
        /// text holds `text` (smart case), going around the end once.
        case search(String, from: Int, backwards: Bool)
    }

    /// Which list.
    public var query: RowQuery
    /// Where in it.
    public var position: Position
    /// How many rows, at most 10,000.
    public var count: Int

    /// A window of `count` rows at the beginning, unless it is said where.
    public init(query: RowQuery = RowQuery(), position: Position = .index(0), count: Int) {
        self.query = query
        self.position = position
        self.count = count
    }
}

/// A part of a list.
public struct RowWindow: Hashable, Sendable {
    /// The rows of the window, in the list's order.
    public var rows: [Row]
    /// The number of the first of `rows` in the whole list.
    public var start: Int
    /// The length of the whole list; while it is being counted, what is known so far.
    public var total: Int
    /// Whether `total` is the whole list.
    public var isTotalExact: Bool
    /// Where the row asked for (by identity or by search) stands in the whole list; `nil` when no
    /// row was asked for or found.
    public var found: Int?

    /// A window as a source has cut it.
    public init(
        rows: [Row], start: Int, total: Int, isTotalExact: Bool = true, found: Int? = nil
    ) {
        self.rows = rows
        self.start = start
        self.total = total
        self.isTotalExact = isTotalExact
        self.found = found
    }
}

/// A row of a list, ready to be drawn: one text a column.
public struct Row: Hashable, Sendable, Identifiable {
    public let id: RowID
    /// In the order of the source's columns. Raw: the screen makes control characters visible.
    public var cells: [RowCell]
    /// The device that wrote what the row shows, where there is one.
    public var device: DeviceID?
    /// Whether devices disagree about it.
    public var isConflict: Bool
    /// How many conflicts lie inside of what it holds.
    public var conflictsInside: Int
    /// Whether it is drawn as less important, as a removed key is.
    public var isDimmed: Bool
    /// Whether it is a counter, which is counted up and down.
    public var isCounter: Bool

    /// A row with one cell a column.
    public init(
        id: RowID, cells: [RowCell], device: DeviceID? = nil, isConflict: Bool = false,
        conflictsInside: Int = 0, isDimmed: Bool = false, isCounter: Bool = false
    ) {
        self.id = id
        self.cells = cells
        self.device = device
        self.isConflict = isConflict
        self.conflictsInside = conflictsInside
        self.isDimmed = isDimmed
        self.isCounter = isCounter
    }
}

/// The text of a row in a column.
public struct RowCell: Hashable, Sendable {
    /// The text, raw: the screen makes control characters visible.
    public var text: String
    /// What the text means, for the theme.
    public var role: TextRole
    /// An instant that the screen shows as an age (`2m`) beside its own clock; `text` is then the
    /// absolute form.
    public var instant: Timestamp?
    /// What the text shows, where that is more or other than the text.
    public var value: CellValue?

    /// A cell with as much as is known about its text.
    public init(
        _ text: String, _ role: TextRole = .plain, instant: Timestamp? = nil,
        value: CellValue? = nil
    ) {
        self.text = text
        self.role = role
        self.instant = instant
        self.value = value
    }
}

/// What a text means; a theme says how that looks.
public enum TextRole: String, Hashable, Sendable, CaseIterable {
    case plain, title, label, key, string, number, boolean, date, data, collection, deletion
    case device, timestamp, winner, loser, conflict, problem, badge, dim, link, added, removed
}
