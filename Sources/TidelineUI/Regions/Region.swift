/// A part of the screen.
public enum Region: Hashable, Sendable, CaseIterable {
    /// Panes and devices of the store.
    case sidebar
    /// The list of the pane that is open.
    case list
    /// All about the selected row.
    case inspector
    /// What happened, newest last.
    case events
    /// What devices disagree about, a column for each.
    case sides
    /// When devices wrote.
    case timeline

    /// Those that can have the focus, in the order of Tab.
    static let focusable: [Region] = [.sidebar, .list, .inspector, .events]

    var module: any RegionModule.Type {
        switch self {
        case .sidebar: SidebarRegion.self
        case .list: ListRegion.self
        case .inspector: InspectorRegion.self
        case .events: EventsRegion.self
        case .sides: SidesRegion.self
        case .timeline: TimelineRegion.self
        }
    }
}
