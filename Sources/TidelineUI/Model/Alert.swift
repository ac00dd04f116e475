import Replication
import TidelineCore

/// A rule that notifies the user when another device writes rows that the rule selects.
enum Alert: Hashable, Sendable {
    /// All rows that a device writes.
    case device(DeviceID)
    /// One row of a pane.
    case row(NamedRow)
    /// Rows of any pane whose names match a pattern, such as `note/*`.
    case names(String)
    /// Rows whose new values satisfy a condition.
    case rule(AlertRule)

    /// A row with its display name. The name doesn't affect equality.
    struct NamedRow: Hashable, Sendable {
        var pane: PaneID
        var row: RowID
        var name: String

        /// The display name, with spaces for line ends.
        fileprivate var lineOfName: String {
            String(String.UnicodeScalarView(name.unicodeScalars.map { $0 == "\n" ? " " : $0 }))
        }

        static func == (left: Self, right: Self) -> Bool {
            left.pane == right.pane && left.row == right.row
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(pane)
            hasher.combine(row)
        }
    }

    /// The alert in the form for the view state.
    var stored: String {
        switch self {
        case .device(let device): "device:" + device.name
        case .row(let named):
            (named.name == named.row.name ? "" : "called:" + named.lineOfName + "\n")
                + "row:" + named.pane.text + " " + named.row.name
        case .names(let form): "names:" + form
        case .rule(let rule): "when:" + rule.text
        }
    }

    /// Reads a stored alert; `nil` if it isn't valid.
    init?(stored text: String) {
        // Names can start with combining characters, which belong to the character before.
        let scalars = Substring(text).unicodeScalars
        func content(after prefix: String) -> Substring.UnicodeScalarView? {
            scalars.starts(with: prefix.unicodeScalars)
                ? scalars.dropFirst(prefix.unicodeScalars.count) : nil
        }
        if let name = content(after: "device:") {
            guard let device = try? DeviceID(String(name)) else { return nil }
            self = .device(device)
        } else if let called = content(after: "called:") {
            guard let end = called.firstIndex(of: "\n"),
                case .row(var named)? = Alert(stored: String(called[end...].dropFirst()))
            else { return nil }
            named.name = String(called[..<end])
            self = .row(named)
        } else if let row = content(after: "row:") {
            guard let space = row.firstIndex(of: " ") else { return nil }
            let pane = String(row[..<space]).split(separator: "/", maxSplits: 1).map(String.init)
            guard let part = pane.first else { return nil }
            let name = String(row[space...].dropFirst())
            self = .row(
                NamedRow(
                    pane: PaneID(pane.last ?? part, of: part), row: RowID(name), name: name))
        } else if let form = content(after: "names:") {
            self = .names(String(form))
        } else if let rule = content(after: "when:") {
            guard let rule = try? AlertRule(String(rule)) else { return nil }
            self = .rule(rule)
        } else {
            // Version 0.1.0 stored patterns as typed.
            self = .names(text)
        }
    }

    /// Returns the names of the matching rows of an event; `nil` if the event doesn't match.
    ///
    /// - Parameters:
    ///   - name: The display name of the device that wrote.
    ///   - own: This device. Its own writes don't cause alerts.
    fileprivate func rows(in event: SessionEvent, by name: String?, own: DeviceID?) -> [String]? {
        guard let changed = event.foreignRows(own: own) else { return nil }
        let found: [String]
        switch self {
        case .device(let device): return event.device == device ? [] : nil
        case .row(let named):
            found =
                changed.contains { $0.pane == named.pane && $0.row == named.row }
                ? [named.name] : []
        case .names(let form):
            let pattern = AlertRule.pattern(form)
            // Rows of other panes, such as log rows, have no names.
            found = changed.filter { $0.pane == event.pane && pattern.matches($0.row.name) }
                .map(\.row.name)
        case .rule(let rule):
            // Only events of keys have values.
            guard event.pane == .keys else { return nil }
            let devices = [name, event.device?.name].compactMap(\.self)
            found = changed.filter { pane, row in
                pane == .keys && rule.matches(row, value: event.values[row], by: devices)
            }.map(\.row.name)
        }
        return found.isEmpty ? nil : found
    }
}

extension Alert {
    /// Returns whether a pattern of names selects a row, regardless of its value.
    fileprivate func selects(_ named: NamedRow) -> Bool {
        switch self {
        case .device, .row: false
        case .names(let form): AlertRule.pattern(form).matches(named.row.name)
        case .rule(let rule): named.pane == .keys && rule.names.matches(named.row.name)
        }
    }
}

extension Set<Alert> {
    /// Returns whether the alert on a row exists, or another alert selects the row.
    func include(_ alert: Alert) -> Bool {
        if contains(alert) { return true }
        guard case .row(let named) = alert else { return false }
        return contains { $0.selects(named) }
    }

    /// Returns the names of an event's rows that match any alert; `nil` if no row matches.
    func rows(in event: SessionEvent, by name: String?, own: DeviceID?) -> [String]? {
        var rows: [String]?
        for alert in self {
            guard let found = alert.rows(in: event, by: name, own: own) else { continue }
            rows = (rows ?? []) + found
        }
        return rows
    }
}

extension Alert {
    /// Returns the notification for an event, with the change of the only matching row if known.
    static func text(
        of event: SessionEvent, by device: String?, about rows: [String], change: String? = nil
    ) -> String {
        let parts = event.parts.prefix(3).map { part in
            let values = [part.old?.line, part.new?.line ?? "deleted"].compactMap {
                $0?.prefix(100)
            }
            return "\(part.subject): \(values.joined(separator: " → "))"
        }
        let names =
            parts.isEmpty
            ? Set(rows).sorted().prefix(3).joined(separator: ", ")
                + (change.map { ": \($0)" } ?? "")
            : parts.joined(separator: ", ")
        let text = [device, names.isEmpty ? event.summary : names].compactMap(\.self)
            .filter { !$0.isEmpty }.joined(separator: ": ")
        return text.isEmpty ? "new write" : text
    }
}

extension SessionEvent {
    /// The pane of the rows that the event is about.
    fileprivate var pane: PaneID? {
        switch kind {
        case .changed(let pane, _, _), .conflict(let pane, _): pane
        case .blob: .blobs
        default: nil
        }
    }

    /// Returns the rows that other devices wrote, with their panes; `nil` for other events.
    fileprivate func foreignRows(own: DeviceID?) -> [(pane: PaneID, row: RowID)]? {
        switch kind {
        // This device brought the conflict back by undoing a resolution.
        case .conflict where device != nil && device == own: nil
        case .changed(let pane, let rows, isOwn: false):
            rows.keys.map { (pane, $0) }
                + elsewhere.flatMap { pane, rows in rows.keys.map { (pane, $0) } }
        case .conflict(let pane, let row): [(pane, row)]
        case .blob(let path): [(.blobs, RowID(path))]
        default: nil
        }
    }
}
