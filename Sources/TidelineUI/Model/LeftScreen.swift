public import TidelineCore

/// The screen of a store that stays open while another is shown: how it was, and what has happened
/// since, to be taken up again.
public struct LeftScreen: Sendable {
    /// The pane, and how the lists are filtered and ordered.
    public let view: StoreView
    let events: EventsRegion
    /// The rows that are selected in the lists of the panes.
    let rows: [PaneID: RowID]
    let missed: AsyncStream<SessionEvent>

    /// A screen that is left.
    ///
    /// - Parameter missed: What happens from now on; the oldest is forgotten of very much.
    public init(of model: Model, missed: AsyncStream<SessionEvent>) {
        view = model.view
        events = model.events
        rows = Dictionary(
            model.panes.compactMap { pane in pane.lists[0].cursorID.map { (pane.id, $0) } },
            uniquingKeysWith: { $1 })
        self.missed = missed
    }
}
