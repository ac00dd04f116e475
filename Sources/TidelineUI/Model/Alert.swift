import Replication
import TidelineCore

/// What a person wants to be told of when another device writes it.
enum Alert: Hashable, Sendable {
    /// Whatever a device writes.
    case device(DeviceID)
    /// One row of a pane.
    case row(PaneID, RowID)
    /// Rows of any pane whose names are of a form: `note/*`.
    case names(String)

    /// The rows of an event that it is about; `nil` where it is not about the event.
    fileprivate func rows(in event: SessionEvent) -> [RowID]? {
        guard let changed = event.foreignRows else { return nil }
        let found: [RowID]
        switch self {
        case .device(let device): return event.device == device ? [] : nil
        case .row(let pane, let row):
            found = changed.contains { $0.pane == pane && $0.row == row } ? [row] : []
        case .names(let form):
            let pattern = Pattern(form)
            found = changed.map(\.row).filter { pattern.matches($0.name) }
        }
        return found.isEmpty ? nil : found
    }
}

extension Model {
    /// Says that something happened which a person wants to be told of, and rings the bell.
    mutating func alert(to event: SessionEvent) -> [Effect] {
        guard !alerts.isEmpty else { return [] }
        var rows: [RowID]?
        for alert in alerts {
            guard let found = alert.rows(in: event) else { continue }
            rows = (rows ?? []) + found
        }
        guard let rows else { return [] }
        let names = Set(rows.map(\.name)).sorted().prefix(3).joined(separator: ", ")
        let device = event.device.map { name(of: .device($0)) }
        let what = names.isEmpty ? event.summary : names
        let text = [device, what].compactMap(\.self).filter { !$0.isEmpty }
            .joined(separator: ": ")
        say(.warning, "alert: \(text.isEmpty ? "something was written" : text)")
        // Of a burst, one sound is enough.
        guard now.microseconds(since: lastRing ?? .distantPast) >= 1_000_000 else { return [] }
        lastRing = now
        return [.terminal(.ring)]
    }

    /// Begins to tell of what `text` names (a form of names, `device:NAME`) or, without a text, of
    /// what is selected; ends that where it is told of already.
    mutating func toggleAlert(_ text: String) {
        guard let alert = text.isEmpty ? focus.module.alert(in: self) : namedAlert(text) else {
            say(.warning, "nothing that devices write is selected here")
            return
        }
        let isNew = alerts.remove(alert) == nil
        if isNew { alerts.insert(alert) }
        let subject =
            switch alert {
            case .device(let device): "\(name(of: .device(device))) writes"
            case .row(_, let row): "another device writes \(row.name)"
            case .names(let form): "another device writes \(form)"
            }
        say(.done, isNew ? "rings when \(subject)" : "does not ring any more when \(subject)")
    }

    private func namedAlert(_ text: String) -> Alert? {
        guard text.hasPrefix("device:") else { return .names(text) }
        let name = text.dropFirst("device:".count)
        let known = status.devices.first { $0.name == name || $0.id.name == name }
        return (known?.id ?? (try? DeviceID(String(name)))).map { .device($0) }
    }
}

extension SessionEvent {
    /// The rows that others wrote, in the panes that show them; `nil` for other events.
    fileprivate var foreignRows: [(pane: PaneID, row: RowID)]? {
        switch kind {
        case .changed(let pane, let rows, isOwn: false):
            rows.keys.map { (pane, $0) }
                + elsewhere.flatMap { pane, rows in rows.keys.map { (pane, $0) } }
        case .conflict(let pane, let row): [(pane, row)]
        case .blob(let path): [(.blobs, RowID(path))]
        default: nil
        }
    }
}
