/// The arrangement of the panels: the size of the screen, the focus and the user's panel sizes.
struct PanelArrangement: Sendable {
    var size: Size
    var focus = Panel.list
    var isZoomed = false
    /// The panel sizes in percent, if configured or resized.
    var shares: [Panel: Int] = [:]
    /// The panels that the user has resized on this screen, whose sizes are saved.
    var changedShares: Set<Panel> = []
}
