/// The state of each panel.
struct PanelStates: Sendable {
    var sidebar = SidebarPanel()
    var list = ListPanel()
    var inspector = InspectorPanel()
    var events = EventsPanel()
    var conflicts = ConflictsPanel()
    var timeline = TimelinePanel()

    /// The state of a panel. A new value must be of the same type.
    subscript(panel: Panel) -> any PanelModule {
        get {
            switch panel {
            case .sidebar: sidebar
            case .list: list
            case .inspector: inspector
            case .events: events
            case .conflicts: conflicts
            case .timeline: timeline
            }
        }
        set {
            switch newValue {
            case let panel as SidebarPanel: sidebar = panel
            case let panel as ListPanel: list = panel
            case let panel as InspectorPanel: inspector = panel
            case let panel as EventsPanel: events = panel
            case let panel as ConflictsPanel: conflicts = panel
            case let panel as TimelinePanel: timeline = panel
            default: break
            }
        }
    }
}
