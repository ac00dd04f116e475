/// The state of each panel.
struct Regions: Sendable {
    var sidebar = SidebarRegion()
    var list = ListRegion()
    var inspector = InspectorRegion()
    var events = EventsRegion()
    var conflicts = ConflictsRegion()
    var timeline = TimelineRegion()

    /// The state of a panel. A new value must be of the same type.
    subscript(region: Region) -> any RegionPart {
        get {
            switch region {
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
            case let panel as SidebarRegion: sidebar = panel
            case let panel as ListRegion: list = panel
            case let panel as InspectorRegion: inspector = panel
            case let panel as EventsRegion: events = panel
            case let panel as ConflictsRegion: conflicts = panel
            case let panel as TimelineRegion: timeline = panel
            default: break
            }
        }
    }
}
