public import Replication

/// The properties of a list that are known without fetching rows.
public struct ListInfo: Hashable, Sendable {
    /// The title in breadcrumbs: "Keys", "person", "DE Germany".
    public var title: String
    /// The device to which the rows belong, if it isn't obvious.
    public var owner: DeviceID?
    /// The subject of the rows if it is chosen elsewhere, like the open document. Rows are fetched
    /// again when the subject changes.
    public var subject: String?
    /// The columns, most important first. Columns that don't fit are dropped from the end.
    public var columns: [Column]
    /// The fields that a filter may name: every column, and further properties of the rows. If
    /// empty, only terms without a field are possible.
    public var filterFields: [FilterField]
    /// The filter fields of the list inside a row, such as the servers of a group, if this list's
    /// filter also applies to that list; otherwise `nil`.
    public var innerFields: [FilterField]?
    /// The edits that are possible on rows, or the reasons why they aren't. Kinds that aren't
    /// listed aren't possible.
    public var edits: [EditKind: Availability]
    /// The commands of the list.
    public var commands: [ListCommand: CommandOffer] = [:]
    /// The types that a value can have, in the order in which an editor lists them.
    public var valueKinds: [TypedText.Kind]
    /// The labels of the form for a new row.
    public var addForm: AddForm
    /// Whether the newest rows come first, in the source's own order. Following new rows then moves
    /// to the first row.
    public var isNewestFirst: Bool
    /// Whether rows in conflict can contain lists. Opening such a row shows its list. If it
    /// contains no list, the conflict is shown.
    public var conflictsHoldLists: Bool
    /// Whether each row is a store, named by its path. Opening a row then shows that store.
    public var rowsAreStores: Bool
    /// Whether the rows are queries that the user types and runs. Queries are stored in the user's
    /// own files, so changing them needs no access to the store.
    public var holdsQueries = false
    /// The words that the editor of a query offers.
    public var queryWords = QueryWords()
    /// Whether the writers of parts of a value are known; see ``PastRows/authors(of:at:)``.
    public var hasAuthors = false
    /// Whether the list can show its state at an instant. If not, it shows the current rows, and
    /// the screen reports that.
    public var hasPast: Bool
    /// The column that shows the row's name. Exported rows then need no separate name.
    public var namingColumn: String?
    /// The list of all writes to these rows, including deleted rows.
    public var writes: Writes?
    /// The identity of a row that opens another list of the same items. That list groups the items
    /// into folders, by the parts of their names. The row is not in this list. `nil` if names have
    /// no parts.
    public var folders: RowID?
    /// The table that contains the rows; `nil` if they aren't rows of a table.
    public var tableName: String?
    /// The columns whose values refer to rows; see ``EditableRows/choices(for:matching:current:)``.
    public var referringColumns: Set<String> = []
    /// The forms in which a column's numbers can be shown; see ``ListedRows/showNumbers(_:)``.
    public var numberForms: [NumberForm] = []
    /// The forms of columns, by column identifier. Not every column has a form.
    public var formsOfColumns: [String: String] = [:]

    /// Whether the rows are computed only when the list is shown, because the cost grows with the
    /// store. No other code requests them.
    public var isComputedOnDemand: Bool
    /// The reason why the list can't have alerts, for example because no other device writes the
    /// rows; `nil` if alerts are possible.
    public var whyNoAlert: String?
    /// The reason why rows can't be restored by a prefix of their names; `nil` if they can.
    public var whyNoPrefix: String?
    /// The reason why no row has a value that could be an argument of a program; `nil` if rows can
    /// have such a value.
    public var whyNoValue: String?

    /// Creates the properties of a list. It is read-only unless `edits` is given.
    public init(
        _ title: String, owner: DeviceID? = nil, subject: String? = nil, columns: [Column],
        filterFields: [FilterField] = [], innerFields: [FilterField]? = nil,
        edits: [EditKind: Availability] = [:],
        valueKinds: [TypedText.Kind] = [
            .string, .integer, .real, .boolean, .date, .data, .json,
        ], addForm: AddForm = AddForm(name: "name", value: "value"), isNewestFirst: Bool = false,
        conflictsHoldLists: Bool = false, hasPast: Bool = true, rowsAreStores: Bool = false,
        isComputedOnDemand: Bool = false, whyNoAlert: String? = nil, whyNoValue: String? = nil,
        namingColumn: String? = nil, writes: Writes? = nil, folders: RowID? = nil
    ) {
        self.title = title
        self.owner = owner
        self.subject = subject
        self.columns = columns
        self.filterFields = filterFields
        self.innerFields = innerFields
        self.edits = edits
        self.valueKinds = valueKinds
        self.addForm = addForm
        self.isNewestFirst = isNewestFirst
        self.conflictsHoldLists = conflictsHoldLists
        self.hasPast = hasPast
        self.rowsAreStores = rowsAreStores
        self.isComputedOnDemand = isComputedOnDemand
        self.whyNoAlert = whyNoAlert
        self.whyNoValue = whyNoValue
        self.namingColumn = namingColumn
        self.writes = writes
        self.folders = folders
    }
}

/// A form for showing numbers: as numbers, or as instants relative to an epoch.
public struct NumberForm: Hashable, Sendable {
    /// The identifier that is saved and typed: `number`, `unix`, `2001`.
    public let id: String
    /// The title on the screen.
    public let title: String

    /// Creates a form.
    public init(_ id: String, _ title: String) {
        self.id = id
        self.title = title
    }
}

/// The labels for the name and the value of a new row (``Edit/add(name:parent:field:_:)`` without a
/// parent).
public struct AddForm: Hashable, Sendable {
    /// The label of the new row's name.
    public let name: String
    /// The label of the new row's value.
    public let value: String

    /// Creates a form with these labels.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The pane that lists the writes to the rows of another pane.
public struct Writes: Hashable, Sendable {
    /// The pane.
    public let pane: PaneID
    /// The filter field that takes the name of a row.
    public let field: String

    /// Creates a reference to the writes in `pane`, selected by `field`.
    public init(pane: PaneID, field: String) {
        self.pane = pane
        self.field = field
    }
}

/// A column of a list.
public struct Column: Hashable, Sendable {
    /// The side to which a column's text is aligned.
    public enum Alignment: Sendable { case leading, trailing }

    /// The identifier that sorting and themes use: `key`, `value`, `device`.
    public let id: String
    /// The heading.
    public let title: String
    /// The minimum width in terminal cells. Narrower columns are hidden.
    public let minimumWidth: Int
    /// The fixed width; `nil` if the column shares the remaining width with other such columns.
    public let width: Int?
    /// The width that is reserved for the column on narrow screens. Columns without a reserved
    /// width get only the space that is left.
    public let leastWidth: Int?
    /// Whether the column shrinks to `leastWidth` if flexible columns need the space.
    public let yieldsWidth: Bool
    /// The alignment of the text.
    public let alignment: Alignment
    /// Whether long text is cut at its start, because texts such as paths differ at their end.
    public let keepsEnd: Bool
    /// Whether rows can be sorted by the column.
    public let isSortable: Bool
    /// The cost of sorting by the column, if it is high. The user is warned before the sort starts.
    public let sortCost: String?
    /// Whether the cells draw another column's values. Drawings are neither exported nor copied.
    public let isDrawing: Bool
    /// The name of the filter field that compares the column; `nil` if it is the column's
    /// identifier.
    public internal(set) var fieldName: String?

    /// Creates a column.
    public init(
        _ id: String, _ title: String, minimumWidth: Int = 4, width: Int? = nil,
        leastWidth: Int? = nil, yieldsWidth: Bool = false,
        alignment: Alignment = .leading, keepsEnd: Bool = false, isSortable: Bool = false,
        sortCost: String? = nil, isDrawing: Bool = false
    ) {
        self.id = id
        self.isDrawing = isDrawing
        self.title = title
        self.minimumWidth = minimumWidth
        self.width = width
        self.leastWidth = leastWidth
        self.yieldsWidth = yieldsWidth
        self.alignment = alignment
        self.keepsEnd = keepsEnd
        self.isSortable = isSortable
        self.sortCost = sortCost
    }

    /// The names by which settings select the column: its identifier and, if different, its title
    /// in lower case.
    package var names: [String] {
        let name = title.lowercased()
        return name == id ? [id] : [id, name]
    }
}
