public import TidelineCore

/// Something that happened: a key, an event of the store, the answer to an effect.
public enum Message: Sendable {
    public typealias Answer<Value: Sendable> = Result<Value, RequestFailure>

    case input(Input)
    case session(SessionSnapshot)
    case event(SessionEvent)
    case window(RequestID, Answer<RowWindow>)
    case detail(RequestID, Answer<Detail?>)
    case conflicts(RequestID, Answer<[RowID: RowConflict]>)
    case conflictDetail(RequestID, Answer<ConflictDetail?>)
    case proposal(RequestID, Answer<RowConflict.Proposal?>)
    /// In the order of their list.
    case manyConflicts(RequestID, Answer<[ConflictedRow]>)
    /// A list was opened; `nil`: the row holds none.
    case opened(RequestID, Answer<SourceInfo?>)
    case editableValue(RequestID, Answer<TypedText?>)
    case copyForms(RequestID, Answer<[CopyForm]>)
    case previewed(RequestID, Answer<[EditPreview]>)
    /// What was written; with a failure, what of it was written before.
    case applied(RequestID, [AppliedEdit], failure: RequestFailure?)
    /// What was written into this store, here and in earlier runs.
    case journal([JournalEntry])
    /// The conflicts that a person needs nothing done about, as they were marked in earlier runs.
    case benign([BenignMark])
    /// What was taken back before it was ever written.
    case withdrawn(RequestID, Answer<[String]>)
    case timeline(RequestID, Answer<Timeline>)
    /// The instant of the next write, and what was written then; `nil`: there is none.
    case stepped(RequestID, Answer<Step?>)
    /// The text of the external editor; `nil`: it was left without saving.
    case edited(RequestID, Answer<String?>)
    /// What a typed text may mean, the likeliest of each list first.
    case places(RequestID, Answer<PlacesFound>)
    /// The values of the field that is being typed.
    case values(RequestID, Answer<[String]>)
    /// The row that a typed text means in the list inside a row; `nil`: none.
    case placeFound(RequestID, Answer<Place?>)
    /// The stores in a folder, the folders in it, and what is known of other stores.
    case nearby(RequestID, Answer<NearbyPaths>)
    /// A store was opened beside this one: its path.
    case storeOpened(RequestID, Answer<String>)
    /// So many rows were passed while rows are written to a file.
    case exporting(RequestID, done: Int, of: Int)
    /// What was written to which file.
    case exported(RequestID, Answer<String>)
    case woke(Alarm)
    /// Something was written into a store that is open beside this one, of which a person wants to
    /// be told.
    case alert(String)
    case notice(Notice)
    case theme(String)
    /// Another theme is shown, which nobody has chosen: the terminal has told its background.
    case background(theme: String)
}
