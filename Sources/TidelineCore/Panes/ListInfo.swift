public import Replication

/// What is known of a list without asking for rows.
public struct ListInfo: Hashable, Sendable {
    /// What a breadcrumb calls the list: "Keys", "person", "DE Germany".
    public var title: String
    /// Whose rows these are, where a person could take them for those of another device.
    public var owner: DeviceID?
    /// What the rows are of, where that is a part of the store which is chosen elsewhere, as one
    /// document is; the rows are asked for again when it is another.
    public var subject: String?
    /// The columns, most important first; what does not fit the screen is dropped from the end.
    public var columns: [Column]
    /// What a filter may ask for here: every column by its name, and what else the rows are known
    /// by. Without any, rows are found by bare words.
    public var filterFields: [FilterField]
    /// Where the lists inside rows hold what this list's filter chose from: what can be asked for
    /// there. `nil`: a filter here says nothing of the lists inside.
    public var innerFields: [FilterField]?
    /// What can be done with its rows, and if not, why; what is not named here cannot be done.
    public var edits: [EditKind: Availability]
    /// The types that a value here can have, in the order in which an editor offers them.
    public var valueKinds: [TypedText.Kind]
    /// What a new row is made of, as a person is asked for it.
    public var addForm: AddForm
    /// Where the newest rows stand in the source's own order, for following them; `nil` where
    /// that order says nothing of age.
    public var newestEnd: ListEnd?
    /// Whether rows in conflict may hold lists too: then opening one leads to its list, if there is
    /// one, and otherwise to the conflict.
    public var conflictsHoldLists: Bool
    /// Whether each row is a store of its own, named by its path; opening one shows that store.
    public var rowsAreStores: Bool
    /// Whether its rows can be told as they were at an instant. Where they cannot, they are shown
    /// as they are now, and the screen says so.
    public var hasPast: Bool
    /// The column whose text is the name of its row: in a file, such a row needs no other.
    public var namingColumn: String?
    /// Where what was written to its rows is listed, of those too that are gone.
    public var writes: Writes?
    /// Whether its columns are those of a table, as many as there are: then they are scrolled
    /// sideways one by one.
    public var isGrid = false
    /// The forms in which numbers of a column can be shown; see ``RowSource/showNumbers(_:)``.
    public var numberForms: [NumberForm] = []
    /// The form of each column that has one, by identifiers.
    public var formsOfColumns: [String: String] = [:]

    /// Whether its rows are made for whoever looks at the list, at a cost that grows with the store;
    /// nobody else asks for them.
    public var isMadeOnSight: Bool
    /// Why nobody can be told that another device wrote a row, as no device writes such rows; `nil`
    /// where that is told.
    public var whyNoAlert: String?

    /// A list that can only be read, unless it is said what can be done with it.
    public init(
        _ title: String, owner: DeviceID? = nil, subject: String? = nil, columns: [Column],
        filterFields: [FilterField] = [], innerFields: [FilterField]? = nil,
        edits: [EditKind: Availability] = [:],
        valueKinds: [TypedText.Kind] = [
            .string, .integer, .real, .boolean, .date, .data, .json,
        ], addForm: AddForm = AddForm(name: "name", value: "value"), newestEnd: ListEnd? = nil,
        conflictsHoldLists: Bool = false, hasPast: Bool = true, rowsAreStores: Bool = false,
        isMadeOnSight: Bool = false, whyNoAlert: String? = nil, namingColumn: String? = nil,
        writes: Writes? = nil
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
        self.newestEnd = newestEnd
        self.conflictsHoldLists = conflictsHoldLists
        self.hasPast = hasPast
        self.rowsAreStores = rowsAreStores
        self.isMadeOnSight = isMadeOnSight
        self.whyNoAlert = whyNoAlert
        self.namingColumn = namingColumn
        self.writes = writes
    }
}

/// A form in which numbers can be shown: as they are, or as instants counted from somewhere.
public struct NumberForm: Hashable, Sendable {
    /// The name that is kept and typed: `number`, `unix`, `2001`.
    public let id: String
    /// What a person calls it.
    public let title: String

    /// A form with a name.
    public init(_ id: String, _ title: String) {
        self.id = id
        self.title = title
    }
}

/// What the name and the value of an ``Edit/add(name:parent:field:_:)`` without a parent are
/// called.
public struct AddForm: Hashable, Sendable {
    /// What the name of a new row is called.
    public let name: String
    /// What its value is called.
    public let value: String

    /// A form that asks with these two words.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The pane that lists what was written to the rows of another.
public struct Writes: Hashable, Sendable {
    /// The pane.
    public let pane: PaneID
    /// The field of its filter that takes the name of a row.
    public let field: String

    /// What was written to a row is found in `pane`, by its name in `field`.
    public init(pane: PaneID, field: String) {
        self.pane = pane
        self.field = field
    }
}

/// An end of a list.
public enum ListEnd: Hashable, Sendable { case first, last }

/// A column of a list.
public struct Column: Hashable, Sendable {
    /// The side that the text is aligned to.
    public enum Alignment: Sendable { case leading, trailing }

    /// The name that sorting and themes use: `key`, `value`, `device`.
    public let id: String
    /// The heading.
    public let title: String
    /// The least width, in cells of the terminal, at which the column is worth showing.
    public let minimumWidth: Int
    /// `nil`: takes what is left, shared among such columns.
    public let width: Int?
    /// Where the window is too narrow for all of them, columns that have this are shown before
    /// others, at this width at least.
    public let leastWidth: Int?
    /// Whether it gives up what it has more than its least width where the contents of columns that
    /// take what is left need it.
    public let yieldsWidth: Bool
    /// The side that the text is aligned to.
    public let alignment: Alignment
    /// Whether rows can be ordered by it.
    public let isSortable: Bool
    /// What ordering by it costs, where that is much: a person is told before it begins.
    public let sortCost: String?

    /// A column with an identifier and a heading.
    public init(
        _ id: String, _ title: String, minimumWidth: Int = 4, width: Int? = nil,
        leastWidth: Int? = nil, yieldsWidth: Bool = false,
        alignment: Alignment = .leading, isSortable: Bool = false, sortCost: String? = nil
    ) {
        self.id = id
        self.title = title
        self.minimumWidth = minimumWidth
        self.width = width
        self.leastWidth = leastWidth
        self.yieldsWidth = yieldsWidth
        self.alignment = alignment
        self.isSortable = isSortable
        self.sortCost = sortCost
    }
}
