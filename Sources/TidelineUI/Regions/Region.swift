/// A panel of the screen.
public enum Region: Hashable, Sendable, CaseIterable {
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
    static let focusable: [Region] = [.sidebar, .list, .inspector, .events]

    var module: any RegionModule.Type {
        switch self {
        case .sidebar: SidebarRegion.self
        case .list: ListRegion.self
        case .inspector: InspectorRegion.self
        case .events: EventsRegion.self
        case .conflicts: ConflictsRegion.self
        case .timeline: TimelineRegion.self
        }
    }
}
