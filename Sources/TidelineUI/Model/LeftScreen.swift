import Replication
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
    private let store: String
    private let alerts: Set<Alert>
    /// What people call devices, where they do.
    private let deviceNames: [DeviceID: String]

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
        store = model.storeName
        alerts = model.alerts
        deviceNames = Dictionary(
            model.status.devices.filter { !$0.name.isEmpty }.map { ($0.id, $0.name) },
            uniquingKeysWith: { $1 })
    }

    /// What to say of an event while another store is shown; `nil` where nobody wants to be told of
    /// it.
    public func alert(of event: SessionEvent) -> String? {
        alerts.rows(in: event).map { rows in
            let device = event.device.map { deviceNames[$0] ?? $0.name }
            return "alert in \(store): \(Alert.text(of: event, by: device, about: rows))"
        }
    }
}
