import Replication
import TidelineCore

/// The state of the rest of the screen, which an overlay or a panel reads: the store's status, the
/// clock, the layout and the settings.
///
/// An overlay or a panel changes only its own state. Effects on the rest of the screen are values;
/// see ``ScreenOutcome``.
struct ScreenContext: ScreenState, Sendable {
    var now: Timestamp
    var session: SessionState
    var preferences: Preferences
    var writing: Writing
    var recents: Recents
    var panels: PanelArrangement
    var layout: Layout
    /// The panes with their lists. The list panel changes them.
    var navigation = Navigation()
    var watching = Watching()
    var instant: Timestamp?
    /// Whether the selection follows new rows.
    var isFollowing = false
    var hasNotice = false
    /// The reason why the rows of the list are incomplete or out of date.
    var rowsProblem: String?
    var events = EventsPanel.Status()
    var runningWork: [String] = []
    /// Whether the search of the command palette is running.
    var isSearching = false

    // MARK: Costly queries

    /// Returns the reason why this kind of edit of the selection isn't possible; `nil` if it is.
    var refusal: @Sendable (EditKind) -> String? = { _ in nil }
    /// Returns the first key that currently calls an action.
    var key: @Sendable (String) -> String = { _ in "" }
    /// Returns all keyboard shortcuts, an overlay's shortcuts first.
    var shortcuts: @Sendable (Overlay?) -> [HelpSection] = { _ in [] }
    /// Returns the items that a command palette offers for its text, best first.
    var items: @Sendable (CommandPalette) -> [PaletteItem] = { _ in [] }
}

extension ScreenContext {
    var size: Size { panels.size }

    /// The area for dialogs: below the line of essential states, and above the footer and notices.
    var dialogArea: Rect {
        let top = layout.header == nil ? 0 : 1
        let bottom = layout.footer == nil && !hasNotice ? 0 : 1
        return Rect(row: top, columns: size.columns, rows: size.rows - top - bottom)
    }

    /// Returns whether a dialog shows this number of lines without scrolling.
    func fits(_ lines: Int) -> Bool { lines <= dialogArea.rows - 2 }

    /// The number of lines by which a page key scrolls a dialog. One line stays visible.
    var pageHeight: Int { max(1, dialogArea.rows - 3) }

    /// The action that edits the value, if possible, or that unlocks writing.
    var editHints: [String] {
        if writing.isWritable { return refusal(.set) == nil ? ["edit"] : [] }
        if selectedQuery != nil { return ["edit"] }
        return list?.source.edits.isEmpty == false ? ["unlock"] : []
    }
}
