import Replication
import TidelineCore

/// What a person wants to be told of when another device writes it.
enum Alert: Hashable, Sendable {
    /// Whatever a device writes.
    case device(DeviceID)
    /// One row of a pane.
    case row(NamedRow)
    /// Rows of any pane whose names are of a form: `note/*`.
    case names(String)

    /// A row with what a person calls it. It is the same row, whatever that is.
    struct NamedRow: Hashable, Sendable {
        var pane: PaneID
        var row: RowID
        var name: String

        static func == (left: Self, right: Self) -> Bool {
            left.pane == right.pane && left.row == right.row
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(pane)
            hasher.combine(row)
        }
    }

    /// As the action `alert` takes it, and as it is kept.
    var text: String {
        switch self {
        case .device(let device): "device:\(device.name)"
        case .row(let named):
            (named.name == named.row.name ? "" : "called:\(named.name)\n")
                + "row:\(named.pane.text) \(named.row.name)"
        case .names(let form): form
        }
    }

    /// - Returns: `nil` for what names no device and no row.
    init?(_ text: String) {
        if text.hasPrefix("device:") {
            guard let device = try? DeviceID(String(text.dropFirst("device:".count))) else {
                return nil
            }
            self = .device(device)
        } else if text.hasPrefix("called:"), let end = text.firstIndex(of: "\n") {
            guard case .row(var named)? = Alert(String(text[text.index(after: end)...])) else {
                return nil
            }
            named.name = String(text[..<end].dropFirst("called:".count))
            self = .row(named)
        } else if text.hasPrefix("row:") {
            let words = text.dropFirst("row:".count).split(separator: " ", maxSplits: 1)
            guard words.count == 2 else { return nil }
            let names = words[0].split(separator: "/", maxSplits: 1).map(String.init)
            self = .row(
                NamedRow(
                    pane: names.count == 2 ? PaneID(names[1], of: names[0]) : PaneID(names[0]),
                    row: RowID(String(words[1])), name: String(words[1])))
        } else {
            self = .names(text)
        }
    }

    /// The names of the rows of an event that it is about; `nil` where it is not about the event.
    fileprivate func rows(in event: SessionEvent) -> [String]? {
        guard let changed = event.foreignRows else { return nil }
        let found: [String]
        switch self {
        case .device(let device): return event.device == device ? [] : nil
        case .row(let named):
            found =
                changed.contains { $0.pane == named.pane && $0.row == named.row }
                ? [named.name] : []
        case .names(let form):
            let pattern = Pattern(form)
            found = changed.map(\.row.name).filter { pattern.matches($0) }
        }
        return found.isEmpty ? nil : found
    }
}

extension Set<Alert> {
    /// The names of the rows of an event that a person wants to be told of, if it is one of those.
    func rows(in event: SessionEvent) -> [String]? {
        var rows: [String]?
        for alert in self {
            guard let found = alert.rows(in: event) else { continue }
            rows = (rows ?? []) + found
        }
        return rows
    }
}

extension Alert {
    /// What is said of an event.
    ///
    /// - Parameters:
    ///   - device: What people call the device that wrote.
    ///   - rows: The names of the rows that a person wants to be told of.
    static func text(of event: SessionEvent, by device: String?, about rows: [String]) -> String {
        let names = Set(rows).sorted().prefix(3).joined(separator: ", ")
        let text = [device, names.isEmpty ? event.summary : names].compactMap(\.self)
            .filter { !$0.isEmpty }.joined(separator: ": ")
        return text.isEmpty ? "something was written" : text
    }
}

extension Model {
    /// Says that something happened which a person wants to be told of, and rings the bell.
    mutating func ring(for event: SessionEvent, about rows: [String]) -> [Effect] {
        events.unseenAlerts += 1
        guard Timestamp(event.date) >= shownSince else { return [] }
        let device = event.device.map { name(of: .device($0)) }
        return ring("alert: \(Alert.text(of: event, by: device, about: rows))")
    }

    /// Says what a person wants to be told of, and rings the bell.
    mutating func ring(_ text: String) -> [Effect] {
        say(.warning, text)
        // Of a burst, one sound is enough.
        guard now.microseconds(since: lastRing ?? .distantPast) >= 1_000_000 else { return [] }
        lastRing = now
        return [.terminal(.ring)]
    }

    /// Begins to tell of what `text` names (a form of names, `device:NAME`) or, without a text, of
    /// what is selected; ends that where it is told of already.
    mutating func toggleAlert(_ text: String) {
        guard let alert = text.isEmpty ? focus.module.alert(in: self) : namedAlert(text) else {
            if [.list, .inspector].contains(focus), let source = list?.source,
                let reason = source.whyNoAlert
            {
                say(.warning, "nothing can ring for rows of \(source.title): \(reason)")
            } else {
                say(.warning, "nothing that devices write is selected here")
            }
            return
        }
        let isNew = alerts.remove(alert) == nil
        if isNew { alerts.insert(alert) }
        let subject = subject(of: alert)
        say(.done, isNew ? "rings when \(subject)" : "no longer rings when \(subject)")
    }

    private func subject(of alert: Alert) -> String {
        switch alert {
        case .device(let device):
            status.devices.contains { $0.id == device }
                ? "\(name(of: .device(device))) writes"
                : "a device \(device.name) writes, which is not here yet"
        case .row(let named): "another device writes \(named.name)"
        case .names(let form): "another device writes \(form)"
        }
    }

    /// Shows what rings; choosing something ends it.
    mutating func openAlertMenu() {
        let items = alerts.map { alert in
            Menu.Item(
                title: "when \(subject(of: alert))", hint: "Enter ends it",
                choice: .endAlert(alert))
        }
        overlay = .menu(Menu(title: "Rings", items: items.sorted { $0.title < $1.title }))
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
