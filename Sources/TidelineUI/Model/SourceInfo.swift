public import TidelineCore

/// Identifies a list that is open on the screen.
public struct SourceID: Hashable, Sendable {
    /// The number of the source.
    public let number: Int
    /// Creates the identifier with a number.
    public init(_ number: Int) { self.number = number }
}

/// The description of an open list.
@dynamicMemberLookup
public struct SourceInfo: Hashable, Sendable {
    /// The identifier of the list.
    public var id: SourceID
    /// The properties of the list.
    public var info: ListInfo

    /// Accesses a property of the list.
    public subscript<Value>(dynamicMember member: KeyPath<ListInfo, Value>) -> Value {
        info[keyPath: member]
    }
}

/// The description of a pane.
public struct PaneInfo: Hashable, Sendable {
    /// The identifier of the pane.
    public var id: PaneID
    /// The pane's list.
    public var source: SourceInfo
    /// The group of the pane.
    public var group = PaneGroup.data
    /// Whether the pane lists only conflicts.
    public var listsConflicts = false
    /// The number key of the pane; `nil` if it has none.
    public var number: Int?
}

/// A snapshot of a session and of all lists open on the screen.
public struct SessionSnapshot: Hashable, Sendable {
    /// The status of the store and its devices.
    public var status: SessionStatus
    /// The panes, in order.
    public var panes: [PaneInfo]
    /// The nested lists by id.
    public var inner: [SourceID: SourceInfo] = [:]
}
