public import Replication

/// A list that the screen shows a window of: keys, log rows, conflicts, entities, servers.
///
/// A source answers for the rows that are looked at and no others, so a million rows cost what the
/// visible ones cost. It is used from any thread; its answers are snapshots.
public protocol RowSource: AnyObject, Sendable {
    /// What a breadcrumb calls the list: "Keys", "person", "DE Germany".
    var title: String { get }
    /// Whose rows these are, where a person could take them for those of another device.
    var owner: DeviceID? { get }
    /// The columns, most important first; what does not fit the screen is dropped from the end.
    var columns: [Column] { get }
    /// What a filter may ask for here: every column by its name, and what else the rows are known
    /// by.
    var filterFields: [FilterField] { get }
    /// What can be done with its rows, and if not, why.
    var edits: [EditKind: Availability] { get }
    /// The types that a value here can have, in the order in which an editor offers them.
    var valueKinds: [TypedText.Kind] { get }
    /// What a new row is made of, as a person is asked for it.
    var addForm: AddForm { get }
    /// Where the newest rows stand in the source's own order, for following them; `nil` where
    /// that order says nothing of age.
    var newestEnd: ListEnd? { get }
    /// Whether rows in conflict may hold lists too: then opening one leads to its list, if there is
    /// one, and otherwise to the conflict.
    var conflictsHoldLists: Bool { get }
    /// Whether its rows can be told as they were at an instant. Where they cannot, they are shown
    /// as they are now, and the screen says so.
    var hasPast: Bool { get }

    /// The rows around a position.
    ///
    /// - Throws: ``FilterError`` for a filter that does not parse or names what is not there.
    func window(_ request: WindowRequest) async throws -> RowWindow
    /// All about one row, for the inspector; `nil` when the row is gone.
    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail?
    /// The list inside a row (the entities of a type, the servers of a group), or `nil` when a row
    /// holds none and opening it means looking at its detail.
    ///
    /// - Parameter instant: When the row was seen; `nil`: now. The list itself is asked for rows of
    ///   any instant.
    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)?
    /// What devices disagree about in a row, or `nil` when they agree.
    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict?
    /// The value of a row (or of a part of it) as text to edit.
    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText?
    /// The value that a row had at an instant, in the forms that can be copied.
    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm]
    /// Rows of a window of an instant as values, for files: whole, in the forms of the command line.
    func records(of rows: [Row], at instant: Timestamp?) async throws -> [RowRecord]
    /// What an edit would write, for a person to confirm. Writes nothing.
    func preview(_ edit: Edit) async throws -> EditPreview
    /// Writes what was previewed, unless what it was made on has moved meanwhile.
    ///
    /// - Throws: ``EditError`` with code `.moved` when it has: nothing is written then.
    func apply(_ preview: EditPreview) async throws -> AppliedEdit
}

extension RowSource {
    public var owner: DeviceID? { nil }
    public var filterFields: [FilterField] { [] }
    public var edits: [EditKind: Availability] { [:] }
    public var valueKinds: [TypedText.Kind] {
        [.string, .integer, .real, .boolean, .date, .data, .json]
    }
    public var addForm: AddForm { AddForm(name: "name", value: "value") }
    public var newestEnd: ListEnd? { nil }
    public var conflictsHoldLists: Bool { false }
    public var hasPast: Bool { true }
    public func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        nil
    }
    public func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? { nil }
    public func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? { nil }
    public func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] { [] }
    public func preview(_ edit: Edit) async throws -> EditPreview {
        throw EditError(.unsupported, "nothing can be written here")
    }
    public func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        throw EditError(.unsupported, "nothing can be written here")
    }
}

/// The identity of a row within its source. It outlives changes of the row's content and place.
///
/// Two are equal when their bytes are: names that only look the same, as `é` in its two
/// encodings, are names of two rows.
public struct RowID: Hashable, Sendable {
    public let name: String
    public init(_ name: String) { self.name = name }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.name.utf8.elementsEqual(rhs.name.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// What the name and the value of an ``Edit/add(name:parent:_:)`` without a parent are called.
public struct AddForm: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// An end of a list.
public enum ListEnd: Hashable, Sendable { case first, last }

/// A column of a list.
public struct Column: Hashable, Sendable {
    public enum Alignment: Sendable { case leading, trailing }

    /// The name that sorting and themes use: `key`, `value`, `device`.
    public let id: String
    public let title: String
    public let minimumWidth: Int
    /// `nil`: takes what is left, shared among such columns.
    public let width: Int?
    public let alignment: Alignment
    public let isSortable: Bool

    public init(
        _ id: String, _ title: String, minimumWidth: Int = 4, width: Int? = nil,
        alignment: Alignment = .leading, isSortable: Bool = false
    ) {
        self.id = id
        self.title = title
        self.minimumWidth = minimumWidth
        self.width = width
        self.alignment = alignment
        self.isSortable = isSortable
    }
}

/// Which rows of a source, in which order, at which instant.
public struct RowQuery: Hashable, Sendable {
    public struct Sort: Hashable, Sendable {
        public var column: String
        public var isDescending: Bool
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

    public init(filter: String = "", sort: Sort? = nil, instant: Timestamp? = nil) {
        self.filter = filter
        self.sort = sort
        self.instant = instant
    }
}

/// Which part of a list is asked for.
public struct WindowRequest: Hashable, Sendable {
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

    public var query: RowQuery
    public var position: Position
    public var count: Int

    public init(query: RowQuery = RowQuery(), position: Position = .index(0), count: Int) {
        self.query = query
        self.position = position
        self.count = count
    }
}

/// A part of a list.
public struct RowWindow: Hashable, Sendable {
    public var rows: [Row]
    /// The number of the first of `rows` in the whole list.
    public var start: Int
    /// The length of the whole list; while it is being counted, what is known so far.
    public var total: Int
    public var isTotalExact: Bool
    /// Where the row asked for (by identity or by search) stands in the whole list; `nil` when no
    /// row was asked for or found.
    public var found: Int?

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
    public var isConflict: Bool
    public var isDimmed: Bool

    public init(
        id: RowID, cells: [RowCell], device: DeviceID? = nil, isConflict: Bool = false,
        isDimmed: Bool = false
    ) {
        self.id = id
        self.cells = cells
        self.device = device
        self.isConflict = isConflict
        self.isDimmed = isDimmed
    }
}

/// The text of a row in a column.
public struct RowCell: Hashable, Sendable {
    public var text: String
    public var role: TextRole
    /// An instant that the screen shows as an age (`2m`) beside its own clock; `text` is then the
    /// absolute form.
    public var instant: Timestamp?
    /// What the text shows, where that is more or other than the text.
    public var value: CellValue?

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
