import Foundation
import Replication
import TidelineCore

/// A line of the feed of events.
struct EventLine: Hashable, Sendable {
    /// Its place among all events since the store was opened.
    var number = 0
    var date: Date
    var device: DeviceID?
    /// What the device was called then.
    var name: String
    var text: String
    /// What happened, as a filter calls it.
    var kind: String
    var isProblem = false
    /// Whether a person wanted to be told of it.
    var isAlert = false
    /// Seconds from its being written to its arrival, where that is known; of several rows, those
    /// of the latest.
    var lateness: Double?
    /// Whether it is about more rows than one.
    var isOfSeveral = false
    /// How often it happened, one time right after the other.
    var count = 1
    /// The row that the line leads to, where the event was about rows.
    var link: Detail.Link?

    /// - Returns: `nil` for an event that is no news.
    init?(_ event: SessionEvent, by name: String) {
        (date, device, self.name, text) = (event.date, event.device, name, event.summary)
        kind = "status"
        lateness = event.written.map { $0.lateness(at: Timestamp(event.date)) }
        var other = ""
        switch event.kind {
        case .status, .devices, .returned: if text.isEmpty { return nil }
        case .loaded: other = "loaded"
        case .changed(let pane, let rows, let isOwn):
            kind = isOwn ? "written" : "received"
            // Which rows these were is not always known.
            other =
                rows.isEmpty
                ? "\(pane.name) changed"
                : "\(isOwn ? "wrote" : "sent") \(Counted.text(rows.count, "row"))"
            isOfSeveral = rows.count > 1
            // Of several it leads to the first that is still there.
            let names = { (rows: [RowID]) in rows.min { $0.name < $1.name } }
            let row = names(rows.filter { $0.value != .gone }.map(\.key)) ?? names(Array(rows.keys))
            if let row { link = .init(pane: pane, row: row) }
        case .conflict(let pane, let row):
            kind = "conflict"
            other = "conflict in \(row.name)"
            isProblem = true
            link = .init(pane: pane, row: row)
        case .resolved(let pane, let row):
            link = .init(pane: pane, row: row)
            kind = "resolved"
            other = "resolved \(row.name)"
        case .device(let state, let problem):
            kind = "device"
            other = problem.map { "\(state): \($0)" } ?? state
            isProblem = problem != nil
            link = device.map { .init(pane: .devices, row: RowID($0.name)) }
        case .blob(let path):
            kind = "blob"
            link = .init(pane: .blobs, row: RowID(path))
            other = "blob \(path)"
        case .deleted:
            other = "the store is gone"
            isProblem = true
        }
        if text.isEmpty { text = other }
    }

    /// The line as values, under the names that a filter has for them.
    var record: RowRecord {
        RowRecord([
            .init("date", .string(Timestamp(date).iso8601)),
            .init("device", device.map { .string($0.name) } ?? .null),
            .init("name", .string(name)), .init("kind", .string(kind)),
            .init("what", .string(text)), .init("late", lateness.map(JSONValue.real) ?? .null),
            .init("times", .integer(Int64(count))), .init("alert", .boolean(isAlert)),
            .init("problem", .boolean(isProblem)),
            .init("pane", link.map { .string($0.pane.name) } ?? .null),
            .init("row", link.map { .string($0.row.name) } ?? .null),
        ])
    }

    /// How late it arrived, in a few letters; nothing where that is not worth a word.
    var latenessText: String? {
        guard let lateness, let text = Timestamp.lateness(ofSeconds: lateness) else { return nil }
        return isOfSeveral && lateness > 0 ? "up to \(text)" : text
    }

    /// What stands behind its text: how late it came, how often.
    var tail: String {
        (latenessText.map { " " + $0 } ?? "") + (count > 1 ? " (\(count) times)" : "")
    }

    /// Takes in what says the same again.
    mutating func merge(_ other: EventLine) {
        count += 1
        date = other.date
        if let late = other.lateness { lateness = max(lateness ?? late, late) }
    }

    /// Whether it says again what the line before it says.
    func isRepetition(of last: EventLine) -> Bool {
        last.device == device && last.text == text && last.isAlert == isAlert
            && date.timeIntervalSince(last.date) < 2
    }
}

extension EventLine: FilterSubject {
    /// What a filter may ask for in the feed.
    static let fields = [
        FilterField("device", .name, example: "device:ipad"),
        FilterField("what", .name, example: "what:note/*"),
        FilterField(
            "kind",
            .choice([
                "received", "written", "conflict", "resolved", "device", "blob", "status",
            ]), example: "kind:conflict"),
        FilterField("late", .age, example: "late>1h"),
        FilterField("alert", .choice(["yes", "no"]), example: "alert:yes"),
        FilterField("problem", .choice(["yes", "no"]), example: "problem:yes"),
    ]

    func contains(where test: (String) -> Bool) -> Bool { test(text) || test(name) }

    func text(of field: String) -> String? {
        switch field {
        case "device": name
        case "what": text
        case "kind": kind
        case "alert": isAlert ? "yes" : "no"
        case "problem": isProblem ? "yes" : "no"
        default: nil
        }
    }

    func texts(of field: String) -> [String] {
        let own = text(of: field).map { [$0] } ?? []
        return field == "device" ? own + (device.map { [$0.name] } ?? []) : own
    }

    func number(of field: String) -> Double? { field == "late" ? lateness : nil }
}
