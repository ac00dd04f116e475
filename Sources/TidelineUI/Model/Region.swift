/// A part of the screen that can have the focus.
public enum Region: Hashable, Sendable, CaseIterable {
    /// Panes and devices of the store.
    case sidebar
    /// The list of the pane that is open.
    case list
    /// All about the selected row.
    case inspector
    /// What happened, newest last.
    case events
}
