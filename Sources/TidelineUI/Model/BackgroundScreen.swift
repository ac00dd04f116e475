import Replication
public import TidelineCore

/// The screen of an open store in the background: its state, and the events since the user left it.
public struct BackgroundScreen: Sendable {
    /// The selected pane, and the filter and order of the lists.
    public let view: StoreView
    /// The texts of edits that weren't saved when the user left the screen; `nil` if there were
    /// none.
    public let unsavedText: String?
    let events: EventsPanel
    let rows: [PaneID: RowID]
    let missed: AsyncStream<SessionEvent>
    private let store: String
    private let alerts: Set<Alert>
    private let ownDevice: DeviceID?
    private let deviceNames: [DeviceID: String]

    /// Creates the state of a background screen.
    ///
    /// - Parameter missed: The events that occur while the screen is in the background. If there
    ///   are too many, the oldest are dropped.
    public init(of model: Model, missed: AsyncStream<SessionEvent>) {
        view = model.view
        unsavedText = model.unsavedText
        events = model.panelStates.events
        rows = Dictionary(
            model.navigation.panes.compactMap { pane in pane.lists[0].cursorID.map { (pane.id, $0) }
            },
            uniquingKeysWith: { $1 })
        self.missed = missed
        store = model.session.storeName
        alerts = model.watching.alerts
        ownDevice = model.session.status.ownDevice
        deviceNames = Dictionary(
            model.session.status.devices.filter { !$0.name.isEmpty }.map { ($0.id, $0.name) },
            uniquingKeysWith: { $1 })
    }

    /// Returns the notification for an event of a background store; `nil` if no alert matches.
    public func alert(of event: SessionEvent) -> String? {
        let device = event.device.map { deviceNames[$0] ?? $0.name }
        return alerts.rows(in: event, by: device, own: ownDevice).map { rows in
            "alert in \(store): \(Alert.text(of: event, by: device, about: rows))"
        }
    }
}
