import Replication
import TidelineCore

/// An effect of an overlay or a panel on the rest of the screen. `Model.apply` carries it out.
enum ScreenOutcome: Hashable, Sendable {
    case effect(Effect)
    case notice(Notice.Kind, String, isBrief: Bool = false)
    case timer(Alarm, after: Int64)
    /// Closes the overlay and returns to another overlay, which may read its content again.
    case close(showing: Overlay? = nil)
    /// Replaces the overlay.
    case open(Overlay?)
    case leave(ExitReason)

    // MARK: Time travel

    /// Goes to an instant, starting time travel if necessary.
    case goIntoPast(to: Timestamp, by: DeviceID?)
    /// Shows the rows of all lists as of the timeline's instant.
    case showInstant
    case leavePast

    // MARK: Edits

    case preview(SourceID, [Edit])
    /// Requests the preview of the typed value, or the results of the typed query.
    case acceptField
    /// Requests the values to choose from in the open field.
    case requestChoices
    /// Writes the edits of the open preview.
    case write
    /// Undoes or redoes a journal entry.
    case undo(UndoHistory.Entry)
    case editValue(RowID, field: FieldPath?, SourceID, isExternal: Bool)
    case edit(EditorJob, text: String)
    case merge(EditorJob, MergedTexts, with: MergeTool)

    // MARK: Choices

    case choose(Menu.Choice, of: Menu)
    /// Shows or hides the selected column of the open menu.
    case toggleColumn
    /// The text of a prompt changed, was accepted or canceled.
    case changed(Prompt)
    case accepted(Prompt)
    case canceled(Prompt)

    // MARK: Rows

    /// Selects a row of the list by index.
    case selectRow(Int)
    /// Selects a row, or the row that the list shows in its place.
    case revealRow(RowID)
    /// The user selected a row, so steps in time no longer follow another row.
    case rowSelected
    /// The list has the rows of the current store, so no key has to wait for them.
    case rowsAreCurrent
    /// The row to go to is not in the list.
    case rowMissing(RowID)
    case scrollList(Int)
    /// Opens the nested list of a row, or else the inspector.
    case openRow(RowID)
    case openConflict
    case openSortMenu
    /// Opens another store in place of this one.
    case openStore(String)
    /// Returns to the outer list, and adds a term to its filter.
    case filterOuterList(String)
    case go(to: Place)
    /// Goes to the row of a link. `from` is the number of the event that has the link, if any.
    case follow(Detail.Link, from: Int? = nil)
    case showPane(Int)
    /// Shows only rows written by a device.
    case showDevice(String)
    /// Runs an action that the command palette found.
    case run(String, argument: String, over: Overlay?)

    static func cancel(_ request: RequestID?) -> [ScreenOutcome] {
        request.map { [.effect(.cancel($0))] } ?? []
    }

    /// Reports that a number is out of range.
    static func none(of count: Int) -> ScreenOutcome {
        .notice(
            .info, count == 0 ? "nothing to choose" : "choose \(count == 1 ? "1" : "1–\(count)")")
    }
}
