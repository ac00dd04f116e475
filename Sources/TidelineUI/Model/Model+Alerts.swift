import Replication
import TidelineCore

extension Model {
    /// Shows a notification for an event and rings the bell.
    mutating func ring(for event: SessionEvent, about rows: [String]) -> [Effect] {
        panelStates.events.unseenAlerts += 1
        guard Timestamp(event.date) >= watching.shownSince else { return [] }
        let device = event.device.map { session.name(of: .device($0)) }
        let change = Set(rows).count == 1 ? change(of: RowID(rows[0]), by: event) : nil
        return ring("alert: \(Alert.text(of: event, by: device, about: rows, change: change))")
    }

    /// Returns the old value, if loaded, and the new value of a row. Returns `nil` if the event
    /// doesn't have the new value.
    private func change(of row: RowID, by event: SessionEvent) -> String? {
        guard case .changed(let id, _, _) = event.kind,
            let new = event.values[row].map({ String($0.prefix(100)) })
        else { return nil }
        let list = navigation.panes.first { $0.id == id }?.lists.first
        let column = list?.source.columns.firstIndex { $0.id == "value" }
        let old = list?.rows.first { $0.id == row }.flatMap { row in
            column.flatMap { row.cells.indices.contains($0) ? row.cells[$0].text : nil }
        }
        guard let old, old != new else { return new }
        return "\(old.prefix(100)) → \(new)"
    }

    /// Shows a notification and rings the bell.
    mutating func ring(_ text: String) -> [Effect] {
        say(.warning, text)
        // A burst of events rings the bell once.
        guard now.microseconds(since: watching.lastRing ?? .distantPast) >= 1_000_000 else {
            return []
        }
        watching.lastRing = now
        switch preferences.alertSignal {
        case .bell: return [.terminal(.ring)]
        case .osc9, .osc777: return [.terminal(.notify(text, preferences.alertSignal))]
        case .notifySend: return [.notifyDesktop(text)]
        }
    }

    /// Rings the bell from now on, because notifications can't be shown.
    mutating func receiveNotificationFailure(_ reason: String) -> [Effect] {
        guard preferences.alertSignal == .notifySend else { return [] }
        preferences.alertSignal = .bell
        say(.warning, "alerts ring the bell from now on: \(reason)")
        return [.terminal(.ring)]
    }

    /// Adds an alert on `text` (a pattern of names, or `device:NAME`). If `text` is empty, the
    /// alert is on the selection. If the same alert exists already, removes it.
    mutating func toggleAlert(_ text: String) -> [Effect] {
        let named: Alert?
        do {
            named =
                text.isEmpty ? panelStates[panels.focus].alert(in: context) : try namedAlert(text)
        } catch {
            return say(.warning, "alert: \(error.message)")
        }
        guard let alert = named else {
            if [.list, .inspector].contains(panels.focus), let source = list?.source,
                let reason = source.whyNoAlert
            {
                return say(.warning, "\(source.title) can't have alerts: \(reason)")
            }
            if panels.focus == .list, list?.selectedRow == nil {
                return say(.warning, "no row is selected")
            }
            return say(.warning, "the selection can't have an alert, because no device writes it")
        }
        let isNew = watching.alerts.remove(alert) == nil
        if isNew { watching.alerts.insert(alert) }
        let subject = subject(of: alert)
        return say(.done, isNew ? "alert on for \(subject)" : "alert off for \(subject)")
    }

    func subject(of alert: Alert) -> String {
        switch alert {
        case .device(let device):
            session.status.devices.contains { $0.id == device }
                ? "writes by \(session.name(of: .device(device)))"
                : "writes by \(device.name) (not in this store yet)"
        case .row(let named): named.name
        case .names(let pattern): pattern
        case .rule(let rule): rule.text
        }
    }

    /// Opens the alert menu. Choosing an alert removes it.
    mutating func openAlertMenu() {
        let items = watching.alerts.map { alert in
            Menu.Item(
                title: subject(of: alert), choice: .endAlert(alert))
        }
        overlay = Overlay(Menu(title: "Alerts", items: items.sorted { $0.title < $1.title }))
    }

    private func namedAlert(_ text: String) throws(FilterError) -> Alert? {
        guard AlertRule.isDevice(text) else {
            return try AlertRule(text).map { .rule($0) } ?? .names(text)
        }
        let name = text.dropFirst("device:".count)
        let known = session.status.devices.first { $0.name == name || $0.id.name == name }
        return (known?.id ?? (try? DeviceID(String(name)))).map { .device($0) }
    }
}
