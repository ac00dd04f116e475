import Replication
import TidelineCore

/// The state of the rest of the screen, which an overlay or a panel reads: the store's status, the
/// clock, the layout and the settings.
///
/// An overlay or a panel changes only its own state. Other consequences are values; see
/// ``ScreenOutcome``.
struct ScreenContext: Sendable {
    var now: Timestamp
    var session: SessionState
    var preferences: Preferences
    var writing: Writing
    var recents: Recents
    var panels: Panels
    var layout: Layout
    var navigation = Navigation()
    /// The instant that all lists show; `nil` for now.
    var instant: Timestamp?
    /// Whether the selection follows new rows.
    var isFollowing = false
    var hasNotice = false
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
    var size: Size { panels.size }

    /// The list of the open pane; `nil` until the session reports its panes.
    var list: ListState? { navigation.list }

    /// The area for dialogs: below the line of essential states, and above the footer and notices.
    var dialogArea: Rect {
        let top = layout.header == nil ? 0 : 1
        let bottom = layout.footer == nil && !hasNotice ? 0 : 1
        return Rect(row: top, columns: size.columns, rows: size.rows - top - bottom)
    }

    /// The reason why the open store can't currently be written: it is missing or couldn't be read.
    var whyNotThere: String? { session.whyNotThere }

    /// The number of lines per page of a dialog; one line is repeated.
    var pageHeight: Int { max(1, dialogArea.rows - 3) }
}
