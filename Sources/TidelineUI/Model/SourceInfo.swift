public import TidelineCore

/// Identifies a list that is open on the screen.
public struct SourceID: Hashable, Sendable {
    public let number: Int
    public init(_ number: Int) { self.number = number }
}

/// The description of an open list.
@dynamicMemberLookup
public struct SourceInfo: Hashable, Sendable {
    public var id: SourceID
    public var info: ListInfo

    public init(id: SourceID, info: ListInfo) {
        self.id = id
        self.info = info
    }

    public subscript<Value>(dynamicMember member: KeyPath<ListInfo, Value>) -> Value {
        info[keyPath: member]
    }
}

/// The description of a pane.
public struct PaneInfo: Hashable, Sendable {
    public var id: PaneID
    public var source: SourceInfo
    public var listsConflicts: Bool
    public var number: Int?

    public init(
        id: PaneID, source: SourceInfo, listsConflicts: Bool = false, number: Int? = nil
    ) {
        self.id = id
        self.source = source
        self.listsConflicts = listsConflicts
        self.number = number
    }
}

/// A snapshot of a session and of all lists open on the screen.
public struct SessionSnapshot: Hashable, Sendable {
    public var status: SessionStatus
    public var panes: [PaneInfo]
    /// The nested lists by id.
    public var inner: [SourceID: SourceInfo]

    public init(status: SessionStatus, panes: [PaneInfo], inner: [SourceID: SourceInfo] = [:]) {
        self.status = status
        self.panes = panes
        self.inner = inner
    }
}
