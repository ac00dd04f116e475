import Replication
import TidelineCore

/// What a part of the screen can read of the rest: the store's status, the clock, the layout and
/// the settings.
///
/// A part changes only its own state. What else it causes are values; see ``ScreenOutcome``.
struct ScreenContext: Sendable {
    var now: Timestamp
    var session: SessionState
    var preferences: Preferences
    var writing: Writing
    var recents: Recents
    var size: Size
    /// The area for dialogs.
    var dialogArea: Rect
    /// The instant that all lists show; `nil` for now.
    var instant: Timestamp?
    /// The list of the open pane.
    var list: ListState?
    /// The syntax error of the events' filter.
    var eventsFilterProblem: ListState.FilterProblem?
    /// The reason why writing can't be unlocked; `nil` if it can.
    var lockedBecause: String?
    /// The number of conflicts that aren't ignored.
    var openConflictCount = 0
    /// Whether the search of the command palette is running.
    var isSearching = false

    // MARK: Questions that are costly to answer

    /// Returns the reason why the selection can't be edited in some way; `nil` if it can.
    var refusal: @Sendable (EditKind) -> String? = { _ in nil }
    /// Returns the mark of a conflict, if the user ignores it.
    var ignoredMark: @Sendable (ConflictView) -> IgnoredConflict? = { _ in nil }
    /// Returns all keyboard shortcuts, those of an overlay first.
    var shortcuts: @Sendable (Overlay?) -> [HelpSection] = { _ in [] }
    /// Returns what a command palette offers for its text, best first.
    var items: @Sendable (CommandPalette) -> [PaletteItem] = { _ in [] }
}

extension ScreenContext {
    var keymap: Keymap { preferences.keymap }

    /// The reason why the open store can't currently be written: it is missing or couldn't be read.
    var whyNotThere: String? { session.whyNotThere }

    /// The number of lines per page of a dialog; one line is repeated.
    var pageHeight: Int { max(1, dialogArea.rows - 3) }
}
