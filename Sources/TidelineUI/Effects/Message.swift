public import Replication
public import TidelineCore

/// The answer to a request, or the reason why it failed.
public typealias Answer<Value: Sendable> = Result<Value, RequestFailure>

/// An input to ``update(_:_:)``: a key, a store event or the answer to an effect.
public enum Message: Sendable {
    case input(Input)
    case session(SessionSnapshot)
    case event(SessionEvent)
    case window(RequestID, Answer<RowWindow>)
    case detail(RequestID, Answer<Detail?>)
    case conflicts(RequestID, Answer<[RowID: [RowConflict]]>)
    case conflictDetail(RequestID, Answer<ConflictDetail?>)
    case proposal(RequestID, Answer<RowConflict.Proposal?>)
    /// The conflicts of several rows, in list order.
    case manyConflicts(RequestID, Answer<[ConflictedRow]>)
    /// A list was opened; `nil` if the row has no nested list.
    case opened(RequestID, Answer<SourceInfo?>)
    /// A typed query ran.
    case queried(RequestID, Answer<QueryResults>)
    /// A value to edit, or the values of a row to duplicate.
    case editableValue(RequestID, Answer<TypedText?>)
    /// The values to choose from; `nil` if the field doesn't refer to rows.
    case choices(RequestID, Answer<ValueChoices?>)
    case copyForms(RequestID, Answer<[CopyForm]>)
    case previewed(RequestID, Answer<[EditPreview]>)
    /// The result of a write. After a failure, it has the edits that were written before and the
    /// previews that were not written.
    case applied(RequestID, [AppliedEdit], left: [EditPreview], failure: RequestFailure?)
    /// The summary of the write that gave this device a name.
    case named(RequestID, Answer<String>)
    /// The entries of the change journal, including those of earlier runs.
    case journal([JournalEntry])
    /// The ignored conflicts of earlier runs.
    case ignored([IgnoredConflict])
    /// The unsaved changes that were discarded.
    case withdrawn(RequestID, Answer<[String]>)
    case timeline(RequestID, Answer<Timeline>)
    /// The instant of the next write, and the rows of that write; `nil` if there is no such write.
    case stepped(RequestID, Answer<TimeTravelStep?>)
    /// The text from the external editor; `nil` if it wasn't saved.
    case edited(RequestID, Answer<String?>)
    /// The places that match a typed text, best matches of each list first.
    case places(RequestID, Answer<PlaceMatches>)
    /// The values of the filter field at the cursor.
    case values(RequestID, Answer<[String]>)
    /// The row of a nested list that matches a typed text; `nil` if none does.
    case placeFound(RequestID, Answer<Place?>)
    /// The reason why the store's files can't be written; `nil` if none is known.
    case writeObstacle(RequestID, Answer<String?>)
    /// The stores and folders in a folder, and details of other stores.
    case nearby(RequestID, Answer<NearbyPaths>)
    /// The path of an additional store that was opened.
    case storeOpened(RequestID, Answer<String>)
    /// The progress of an export.
    case exporting(RequestID, done: Int, of: Int)
    /// The result of an export.
    case exported(RequestID, Answer<String>)
    /// A custom command ended.
    case ran(RequestID, Answer<CommandResult>)
    case woke(Alarm)
    /// An alert matched an event of a background store.
    case alert(String)
    /// A notification couldn't be shown on the desktop, with the reason.
    case notificationFailed(String)
    case notice(Notice)
    case theme(String)
    /// Another theme is shown because the terminal reported its background.
    case background(theme: String)
}

/// The answer to a typed query.
public struct QueryResults: Hashable, Sendable {
    /// The query's row in the list of queries.
    var row: RowID
    /// The list of results.
    var list: SourceInfo
}

/// A step in time travel: the instant of the next write, and the rows of that write.
public struct TimeTravelStep: Hashable, Sendable {
    /// The instant of the write.
    public var instant: Timestamp
    /// The rows written at that instant.
    public var writes: [PastWrite]
}
