public import Foundation
public import Replication
public import TidelineCore

/// Work outside of the model, requested by ``update(_:_:)``. Equal effects request the same work.
public enum Effect: Hashable, Sendable {
    case window(RequestID, SourceID, WindowRequest)
    /// The inspector's content for a row of a query.
    case detail(RequestID, SourceID, RowID, Detail.Form, RowQuery)
    case conflicts(RequestID, SourceID, [RowID], at: Timestamp?)
    case conflictDetail(RequestID, SourceID, RowID, at: Timestamp?)
    /// The merged value of a conflict. Each picked part is taken from the chosen side.
    case proposal(
        RequestID, SourceID, RowID, picking: [FieldPath: RowConflict.SideID], at: Timestamp?)
    /// The conflicts of the marked rows or, if none is marked, of all rows that match the query.
    case manyConflicts(RequestID, SourceID, RowQuery, chosen: Set<RowID>)
    case open(RequestID, SourceID, RowID, at: Timestamp?)
    /// The results of a typed query, as a list. The query replaces the query of a row. Without a
    /// row, the query is added.
    case query(RequestID, SourceID, String, of: RowID?)
    /// Closes nested lists.
    case release([SourceID])
    /// Drops the history index.
    case forgetPast
    /// The values of a filter field in the rows that match a query.
    case values(RequestID, SourceID, FilterField, in: RowQuery)
    case editableValue(RequestID, SourceID, RowID, field: FieldPath?)
    /// The values to choose from for a field: the current value, and the rows' values that contain
    /// a text.
    case choices(RequestID, SourceID, FieldPath, matching: String, current: TypedText?)
    /// The values of a row, as a text for adding another row with them.
    case template(RequestID, SourceID, RowID)
    /// The forms in which a row can be copied at the query's instant. If rows are marked, the forms
    /// for copying all of them are included.
    case copyForms(RequestID, SourceID, RowID, RowQuery, chosen: Set<RowID>)
    /// The preview of edits. `typedOver` is the value when typing started. If given, the answer
    /// includes whether the value has changed since then.
    case preview(RequestID, SourceID, [Edit], typedOver: TypedText? = nil)
    /// The preview of a resolution that merges these sides. Fails if the sides of the conflict have
    /// changed.
    case previewMerge(RequestID, SourceID, Edit, of: [RowConflict.SideID])
    case apply(RequestID, SourceID, [EditPreview], JournalNote)
    /// Gives this device a name. This is not recorded in the journal.
    case nameDevice(RequestID, SourceID, RowID, String)
    /// Reads the change journal, which includes the changes of earlier runs.
    case readJournal
    /// Records in the journal that unsaved edits were discarded.
    case forget([UUID])
    /// Saves which conflicts the user ignores.
    case keepIgnored([IgnoredConflict])
    /// Saves the view state for the next run.
    case keepView(StoreView)
    /// Changes the number formats of columns.
    case showNumbers(SourceID, [String: String])
    /// Discards unsaved changes.
    case withdraw(RequestID)
    case setWritable(Bool)
    /// Sets whether the session reads the parts of events that need the history of rows.
    case setReadsParts(Bool)
    /// Checks whether the store's files can be written.
    case writeObstacle(RequestID)
    /// Reads the store's files again. `after` is a notice that stays visible.
    case reload(after: Notice? = nil)
    /// Runs a program with its arguments, and captures its output.
    case runProgram(RequestID, [String])
    case timeline(RequestID, buckets: Int)
    case step(RequestID, from: Timestamp, backwards: Bool, device: DeviceID?)
    /// The next write of a row in a pane's list.
    case stepOfRow(RequestID, SourceID, RowID, from: Timestamp, backwards: Bool)
    /// The preview of restoring all rows with a prefix to an instant.
    case previewRestoring(RequestID, SourceID, prefix: String, at: Timestamp)
    /// The differences of a list between two instants, as a list. Times are shown in the zone
    /// `offset`.
    case difference(
        RequestID, SourceID, RowQuery, from: Timestamp, to: Timestamp, offset: UTCOffset)
    /// The differences from the store at a path, now or at an instant, as a list. The answer is
    /// `nil` if there are no differences.
    case compare(RequestID, path: String, at: Timestamp?)
    /// The different values of a column in the rows that match a query, as a list.
    case frequency(RequestID, SourceID, RowQuery, Column)
    /// Exports the marked rows or, if none is marked, all rows that match the query.
    case export(
        RequestID, SourceID, RowQuery, chosen: Set<RowID>, as: ExportFormat, path: String)
    case save(RequestID, SourceID, RowID, at: Timestamp?, path: String)
    /// Exports values that are already loaded, such as event lines.
    case exportRecords(RequestID, [RowRecord], as: ExportFormat, path: String)
    /// The rows of the given lists that match a typed text.
    case places(RequestID, [PlaceList], text: String, at: Timestamp?)
    /// The row of a nested list that matches a typed text.
    case placeInside(RequestID, PlaceList, RowID, text: String, at: Timestamp?)
    /// The stores and folders in a folder, and details of other paths.
    case nearby(RequestID, folder: String, others: [String])
    /// The files and folders in a folder.
    case files(RequestID, folder: String)
    /// Shows a notification on the desktop.
    case notifyDesktop(String)
    /// Opens another store in addition to the current store.
    case openStore(RequestID, path: String)
    /// Sets a timer, or moves it if it is already set.
    case wake(Alarm, after: Duration)
    case cancel(RequestID)
    case terminal(TerminalRequest)
}

/// The timers of the screen.
public enum Alarm: Hashable, Sendable, CaseIterable {
    /// A mark next to a row fades.
    case marks
    /// Deleted rows are removed from the screen.
    case deletedRows
    /// The user has been inactive.
    case relock
    /// A visible age changes.
    case ages
    /// Playback continues with the next write.
    case play
    /// Keys no longer wait for a store that is slow to open.
    case opening
    /// The timeline may be requested again.
    case timeline
    /// The history index is dropped. Sent a few seconds after time travel has ended.
    case past
}

/// Work for the owner of the terminal.
public enum TerminalRequest: Hashable, Sendable {
    /// Copies a text to the clipboard. `name` describes it in messages.
    case copy(String, name: String)
    case edit(RequestID, text: String, fileExtension: String)
    case merge(RequestID, MergedTexts, fileExtension: String, with: MergeTool)
    /// Runs a program with its arguments on the terminal, then waits for a key.
    case run(RequestID, [String])
    case captureMouse(Bool)
    case suspend
    case redraw
    case ring
    /// Shows a notification on the desktop.
    case notify(String, AlertSignal)
    case theme(String)
    /// Previews a theme; `nil` ends the preview.
    case previewTheme(String?)
    case leave(ExitReason)
}

/// The reason why the user left the screen.
public enum ExitReason: Hashable, Sendable {
    case quit
    /// The user opened another store in place of this one.
    case open(path: String)
    /// The user opened another store in addition to this one.
    case add(path: String)
    /// The user switched to another open store. The number is its distance in the list of open
    /// stores.
    case show(by: Int)
    /// The user closed this store, so another open store is shown.
    case close
}

/// The information about a write that the journal records.
public struct JournalNote: Hashable, Sendable {
    /// The pane of the edit.
    public var pane: String
    /// Whether the write is an edit, or undoes or redoes one.
    public var direction: JournalEntry.Direction
    /// The entry that the write undoes or redoes.
    public var subject: UUID?
}
