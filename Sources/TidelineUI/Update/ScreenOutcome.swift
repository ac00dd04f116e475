import TidelineCore

/// A consequence outside of the state of an overlay or a panel. `Model.apply` carries it out.
enum ScreenOutcome: Hashable, Sendable {
    case effect(Effect)
    case notice(Notice.Kind, String)
    /// Closes the overlay and returns to another one, which may read its content again.
    case close(showing: Overlay? = nil)
    /// Replaces the overlay.
    case open(Overlay?)
    /// Returns from time travel.
    case leavePast
    case leave(Outcome)

    // MARK: Edits

    /// Requests the preview of edits.
    case preview(SourceID, [Edit])
    /// Requests the preview of the typed value, or the results of the typed query.
    case acceptField
    /// Requests the values to choose from in the open field.
    case requestChoices
    /// Writes the edits of the open preview.
    case write
    /// Undoes a journal entry, or redoes it.
    case undo(UndoHistory.Entry)
    /// Edits a value of a row.
    case editValue(RowID, SourceID, isExternal: Bool)
    /// Edits a text in the external editor.
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
    /// Selects a row of the list by index.
    case selectRow(Int)
    case go(to: Place)
    /// Goes to the row of an event, given the event's number.
    case follow(Detail.Link, from: Int)
    case showPane(Int)
    /// Shows only rows written by a device.
    case showDevice(String)
    /// Runs an action that the command palette found.
    case run(String, argument: String, over: Overlay?)

    static func cancel(_ request: RequestID?) -> [ScreenOutcome] {
        request.map { [.effect(.cancel($0))] } ?? []
    }

    /// Reports that a number is out of range.
    static func none(_ number: Int, of count: Int) -> ScreenOutcome {
        .notice(
            .info, count == 0 ? "nothing to choose" : "choose \(count == 1 ? "1" : "1–\(count)")")
    }
}
