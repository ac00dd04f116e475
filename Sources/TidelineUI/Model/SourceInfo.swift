public import Replication
public import TidelineCore

/// The number under which the interpreter keeps a list that is open on the screen.
public struct SourceID: Hashable, Sendable {
    public let number: Int
    public init(_ number: Int) { self.number = number }
}

/// What the screen knows of a list without asking for rows: a copy of its source's properties.
public struct SourceInfo: Hashable, Sendable {
    public var id: SourceID
    public var title: String
    public var owner: DeviceID?
    public var columns: [Column]
    public var filterFields: [FilterField]
    public var edits: [EditKind: Availability]
    public var valueKinds: [TypedText.Kind]
    public var addForm: AddForm
    public var newestEnd: ListEnd?
    public var conflictsHoldLists: Bool
    public var hasPast: Bool

    public init(
        id: SourceID, title: String, owner: DeviceID? = nil, columns: [Column],
        filterFields: [FilterField] = [],
        edits: [EditKind: Availability] = [:],
        valueKinds: [TypedText.Kind] = [.string, .json],
        addForm: AddForm = AddForm(name: "name", value: "value"), newestEnd: ListEnd? = nil,
        conflictsHoldLists: Bool = false, hasPast: Bool = true
    ) {
        self.id = id
        self.title = title
        self.owner = owner
        self.columns = columns
        self.filterFields = filterFields
        self.edits = edits
        self.valueKinds = valueKinds
        self.addForm = addForm
        self.newestEnd = newestEnd
        self.conflictsHoldLists = conflictsHoldLists
        self.hasPast = hasPast
    }

    init(id: SourceID, of source: any RowSource) {
        self.init(
            id: id, title: source.title, owner: source.owner, columns: source.columns,
            filterFields: source.filterFields, edits: source.edits,
            valueKinds: source.valueKinds, addForm: source.addForm, newestEnd: source.newestEnd,
            conflictsHoldLists: source.conflictsHoldLists, hasPast: source.hasPast)
    }
}

/// A pane as the screen knows it.
public struct PaneInfo: Hashable, Sendable {
    public var id: PaneID
    public var source: SourceInfo

    public init(id: PaneID, source: SourceInfo) {
        self.id = id
        self.source = source
    }
}

/// The state of a session at one moment, and of every list that is open on the screen.
public struct SessionSnapshot: Hashable, Sendable {
    public var status: SessionStatus
    public var panes: [PaneInfo]
    /// Lists inside rows, by number.
    public var inner: [SourceID: SourceInfo]

    public init(status: SessionStatus, panes: [PaneInfo], inner: [SourceID: SourceInfo] = [:]) {
        self.status = status
        self.panes = panes
        self.inner = inner
    }
}
