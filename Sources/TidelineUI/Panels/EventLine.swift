import Foundation
import Replication
import TidelineCore

/// A line of the event list.
struct EventLine: Hashable, Sendable {
    /// The sequence number among all events since the store was opened.
    var number = 0
    var date: Date
    var device: DeviceID?
    /// The name of the device at the time of the event.
    var name: String
    var text: String
    /// The kind of event, as used in filters.
    var kind: String
    var isProblem = false
    /// Whether an alert matches the event.
    var isAlert = false
    /// The seconds between the write and its arrival, if known. For several rows, the maximum.
    var lateness: Double?
    /// Whether the event concerns more than one row.
    var isOfSeveral = false
    /// The number of times that the event occurred in succession.
    var count = 1
    /// The number of later events of the same kind that the line represents.
    var othersCount = 0
    /// The row that opening the line leads to, if the event concerns rows.
    var link: Detail.Link?

    /// Creates a line for an event; `nil` if the list doesn't show the event.
    init?(_ event: SessionEvent, by name: String) {
        (date, device, self.name, text) = (event.date, event.device, name, event.summary)
        kind = "status"
        lateness = event.written.map { $0.lateness(at: Timestamp(event.date)) }
        var other = ""
        switch event.kind {
        // Some events only refresh the screen.
        case .loaded, .status, .devices, .returned: if text.isEmpty { return nil }
        case .changed(let pane, let rows, let isOwn):
            kind = isOwn ? "written" : "received"
            // The rows are not always known.
            other =
                rows.isEmpty
                ? "\(pane.name) changed"
                : "\(isOwn ? "wrote" : "sent") \(Counted.text(rows.count, "row"))"
            isOfSeveral = rows.count > 1
            // If there are several rows, link to the first one that still exists.
            let names = { (rows: [RowID]) in rows.min { $0.name < $1.name } }
            let row =
                names(rows.filter { $0.value != .deleted }.map(\.key)) ?? names(Array(rows.keys))
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
            other = "the store is missing"
            isProblem = true
        }
        if text.isEmpty { text = other }
    }

    /// The fields of the line, by their names in filters.
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

    /// The lateness in a few characters; `nil` if the event wasn't noticeably late.
    var latenessText: String? {
        guard let lateness, let text = Timestamp.lateness(ofSeconds: lateness) else { return nil }
        return isOfSeveral && lateness > 0 ? "up to \(text)" : text
    }

    /// The text at the end: the numbers of further events and of occurrences, and the lateness.
    var tail: String {
        (othersCount > 0 ? ", and \(Counted.grouped(othersCount)) more" : "")
            + (latenessText.map { " " + $0 } ?? "") + (count > 1 ? " (\(count)×)" : "")
    }

    /// Merges a repetition of the event, or another event of the series, into the line.
    mutating func merge(_ other: EventLine) {
        if other.text == text { count += 1 } else { othersCount += 1 }
        date = other.date
        if let late = other.lateness { lateness = max(lateness ?? late, late) }
    }

    /// Whether the line repeats the given line.
    func isRepetition(of last: EventLine) -> Bool {
        last.device == device && last.text == text && last.isAlert == isAlert
            && date.timeIntervalSince(last.date) < 2
    }

    /// Whether this line and the given line belong to the same series, such as the conflicts of
    /// many rows that one write caused.
    func isOfSeries(with last: EventLine) -> Bool {
        ["conflict", "resolved"].contains(kind) && last.kind == kind && last.device == device
            && last.isAlert == isAlert && date.timeIntervalSince(last.date) < 2
    }
}

extension EventLine: FilterSubject {
    /// The filter fields of the event list.
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

    func texts(of field: String) -> [String] {
        switch field {
        case "device": [name] + (device.map { [$0.name] } ?? [])
        case "what": [text]
        case "kind": [kind]
        case "alert": [isAlert ? "yes" : "no"]
        case "problem": [isProblem ? "yes" : "no"]
        default: []
        }
    }

    func numbers(of field: String) -> [FilterNumber] {
        field == "late" ? lateness.map { [FilterNumber($0)] } ?? [] : []
    }
}
