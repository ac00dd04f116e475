public import Foundation
public import Replication
public import TidelineCore

/// Something that the screen wants done outside of its model. A value: two equal effects ask for
/// the same.
public enum Effect: Hashable, Sendable {
    case window(RequestID, SourceID, WindowRequest)
    case detail(RequestID, SourceID, RowID, RowQuery)
    case conflicts(RequestID, SourceID, [RowID], at: Timestamp?)
    case conflictDetail(RequestID, SourceID, RowID, at: Timestamp?)
    /// What the sides of a row come to with what some of them have at some places.
    case proposal(
        RequestID, SourceID, RowID, picking: [FieldPath: RowConflict.SideID], at: Timestamp?)
    /// The conflicts of the chosen rows or, where none is chosen, of all that answer the query.
    case manyConflicts(RequestID, SourceID, RowQuery, chosen: Set<RowID>)
    case open(RequestID, SourceID, RowID, at: Timestamp?)
    /// Lets go of lists inside rows that were left.
    case release([SourceID])
    /// Lets go of what is held to show the past.
    case forgetPast
    /// The values that a field of a list's filter has in the rows that answer a query.
    case values(RequestID, SourceID, FilterField, in: RowQuery)
    case editableValue(RequestID, SourceID, RowID, field: FieldPath?)
    /// The forms of a row at the query's instant; with rows chosen, also those of all of them.
    case copyForms(RequestID, SourceID, RowID, RowQuery, chosen: Set<RowID>)
    /// What edits would write; with the value that they were typed over, also whether it is there
    /// still.
    case preview(RequestID, SourceID, [Edit], typedOver: TypedText? = nil)
    case apply(RequestID, SourceID, [EditPreview], JournalNote)
    /// Reads what was written into this store, here and in earlier runs.
    case readJournal
    /// Notes in the journal that edits were taken back before they were written.
    case forget([UUID])
    /// Keeps that a person needs nothing done about conflicts, or does so no longer.
    case keepBenign([BenignMark])
    /// Keeps how the screen is left, for the next time.
    case keepView(StoreView)
    /// Shows the numbers of columns of a list in other forms.
    case showNumbers(SourceID, [String: String])
    /// Takes back what could not be written yet.
    case withdraw(RequestID)
    case setWritable(Bool)
    case reload
    case timeline(RequestID, buckets: Int)
    case step(RequestID, from: Timestamp, backwards: Bool, device: DeviceID?)
    /// The next write of one row of a pane's list.
    case stepOfRow(RequestID, SourceID, RowID, from: Timestamp, backwards: Bool)
    /// What would give all rows with a beginning again what they had at an instant.
    case previewTakingBack(RequestID, SourceID, prefix: String, at: Timestamp)
    /// What differs in a list between two instants, as a list of its own; shown times are by `offset`.
    case difference(
        RequestID, SourceID, RowQuery, from: Timestamp, to: Timestamp, offset: UTCOffset)
    /// Writes the chosen rows or, where none is chosen, all that answer the query.
    case export(
        RequestID, SourceID, RowQuery, chosen: Set<RowID>, as: ExportFormat, path: String)
    /// Writes values that are at hand: lines of the feed.
    case exportRecords(RequestID, [RowRecord], as: ExportFormat, path: String)
    /// The rows of some lists that a typed text may mean.
    case places(RequestID, [PlaceList], text: String, at: Timestamp?)
    /// The row that a typed text means in the list inside a row.
    case placeInside(RequestID, PlaceList, RowID, text: String, at: Timestamp?)
    /// The stores and folders in a folder, and what other paths lead to.
    case nearby(RequestID, folder: String, others: [String])
    /// Opens a store beside the one that is shown.
    case openStore(RequestID, path: String)
    /// Rings once; setting an alarm again moves it.
    case wake(Alarm, after: Duration)
    /// Gives up a request whose answer is no longer wanted.
    case cancel(RequestID)
    case terminal(TerminalRequest)
}

/// Why the screen wants to be woken.
public enum Alarm: Hashable, Sendable, CaseIterable {
    /// A mark beside a row looks different from now on.
    case marks
    /// Rows that are gone were shown as such for long enough.
    case gone
    /// Nobody has pressed a key for a while.
    case relock
    /// The next of the visible ages reads differently from now on.
    case ages
    /// The next write of the past is due, while they are played.
    case play
    /// Opening takes so long that keys wait for it no longer.
    case opening
    /// The timeline may be asked for again.
    case timeline
    /// The past was left long enough ago.
    case past
}

/// What only the owner of the terminal can do.
public enum TerminalRequest: Hashable, Sendable {
    /// Puts a text on the clipboard; `name` says what it is.
    case copy(String, name: String)
    case edit(RequestID, text: String, fileExtension: String)
    case captureMouse(Bool)
    case suspend
    case redraw
    /// The terminal's bell.
    case ring
    case theme(String)
    /// Shows a theme for as long as somebody looks at it; `nil`: the one before again.
    case previewTheme(String?)
    case leave(Outcome)
}

/// Why the screen was left.
public enum Outcome: Hashable, Sendable {
    case quit
    /// To show another store in the place of this one.
    case open(path: String)
    /// To show another store beside this one.
    case add(path: String)
    /// To show one of the stores that are open beside, so many further on.
    case show(by: Int)
    /// To close this store and show another of those that are open.
    case close
}
