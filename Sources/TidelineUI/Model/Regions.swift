/// The state of each panel.
struct Regions: Sendable {
    var sidebar = SidebarRegion()
    var list = ListRegion()
    var inspector = InspectorRegion()
    var events = EventsRegion()
    var conflicts = ConflictsRegion()
    var timeline = TimelineRegion()
}
