/// A panel of the screen.
public enum Panel: Hashable, Sendable, CaseIterable {
    /// The panes and devices of the store.
    case sidebar
    /// The list of the open pane.
    case list
    /// The details of the selected row.
    case inspector
    /// Recent events, newest last.
    case events
    /// The sides of conflicts, in one column per device.
    case conflicts
    /// The times when each device wrote.
    case timeline

    /// The panels that can have the focus, in Tab order.
    static let focusable: [Panel] = [.sidebar, .list, .inspector, .events]

    /// Whether the panel shows the selected row of the list.
    var isAboutRow: Bool { self == .list || self == .inspector }
}
