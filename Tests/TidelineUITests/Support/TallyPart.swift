import Foundation
import Replication
import Synchronization
import TidelineCore

/// A third data model, small enough to read at a glance: named numbers that devices increase.
///
/// It uses only the library's public extension points, and the screen has no code for it. This file
/// contains everything that a new data model needs to be shown, filtered, edited and followed.
final class TallyPart: SessionPart {
    struct Tally: Sendable, Codable {
        var count: Int
        var device: String
        var instant: Timestamp { Timestamp(microseconds: microseconds) }
        var microseconds: Int64
        /// The concurrent count of another device.
        var other: Int?
    }

    private struct State {
        var tallies: [Name: Tally] = [:]
        var isWritable = false
        var emit: (@Sendable (SessionEvent) -> Void)?
    }

    private let state = Mutex(State())
    private let device: DeviceID

    init(writingAs device: DeviceID) { self.device = device }

    var panes: [Pane] {
        [
            Pane(.tallies, TalliesSource(self, isLog: false)),
            // Panes of different data models may share a name.
            Pane(.tallyLog, TalliesSource(self, isLog: true)),
            Pane(.tallyConflicts, TalliesSource(self, isLog: false, .conflicts)),
        ]
    }

    var status: PartStatus {
        let tallies = all
        var reports: [DeviceReport] = []
        for (name, rows) in Dictionary(grouping: tallies.map(\.value), by: \.device) {
            guard let id = try? DeviceID(name) else { continue }
            var report = DeviceReport(id, in: "tallies", state: .ok)
            report.rows = rows.count
            report.newest = rows.map(\.instant).max()
            report.isOwn = id == device
            reports.append(report)
        }
        let conflicts = tallies.count { $0.value.other != nil }
        return PartStatus(
            phase: .live, ownDevice: device, devices: reports.sorted { $0.device < $1.device },
            conflictCount: conflicts,
            counts: [.tallies: tallies.count, .tallyConflicts: conflicts])
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        state.withLock { $0.emit = emit }
        emit(SessionEvent(.loaded, date: Date(), summary: "loaded \(all.count) tallies"))
    }

    func reload() async {}
    func setWritable(_ isWritable: Bool) { state.withLock { $0.isWritable = isWritable } }
    func close() async { state.withLock { $0.emit = nil } }

    func activity(buckets: Int) async throws -> Activity {
        var samples: [DeviceID: [Activity.Sample]] = [:]
        for (_, tally) in all {
            if let id = try? DeviceID(tally.device) {
                samples[id, default: []].append(Activity.Sample(tally.instant, 1))
            }
        }
        return Activity(samples)
    }

    /// All tallies, by name.
    var all: [(key: Name, value: Tally)] {
        state.withLock { $0.tallies }.sorted { $0.key < $1.key }
    }

    /// The availability of each kind of edit.
    var availability: Availability {
        state.withLock { $0.isWritable }
            ? .available : .unavailable(because: "read-only; press w to unlock")
    }

    /// Records a device's write. `nil` removes the tally.
    func write(
        _ name: String, _ tally: Tally?, concurrentWith other: Int? = nil, isOwn: Bool = false
    ) {
        let row = RowID(name)
        let (was, emit) = state.withLock { state in
            defer {
                state.tallies[Name(name)] = tally
                if let other { state.tallies[Name(name)]?.other = other }
            }
            return (state.tallies[Name(name)], state.emit)
        }
        let id = tally.flatMap { try? DeviceID($0.device) }
        let mark: RowMark = tally == nil ? .deleted : was == nil ? .new : .changed
        emit?(
            SessionEvent(
                .changed(.tallies, rows: [row: mark], isOwn: isOwn), date: Date(), device: id,
                summary: "counted \(name)", elsewhere: [.tallyLog: [row: .new]]))
        if other != nil {
            emit?(
                SessionEvent(
                    .conflict(.tallyConflicts, row), date: Date(), device: id,
                    summary: "≠ \(name)"))
        } else if was?.other != nil {
            emit?(SessionEvent(.resolved(.tallyConflicts, row), date: Date()))
        }
    }

    // MARK: Edits

    func preview(_ edit: Edit) throws(EditError) -> EditPreview {
        guard case .available = availability else {
            throw EditError(.readOnly, "the tallies are open for reading")
        }
        let (name, new) = try target(of: edit)
        let old = all.first { $0.key == Name(name) }?.value
        return EditPreview(
            edit: edit, summary: "count \(name)",
            changes: [
                .init(
                    subject: name, old: old.map { .init(String($0.count)) },
                    new: new.map { .init(String($0)) })
            ], device: device, file: "tallies", expectation: [Name(name): stamp(of: name)])
    }

    func apply(_ preview: EditPreview) throws -> AppliedEdit {
        let (name, new) = try target(of: preview.edit)
        guard preview.expectation[Name(name)] == stamp(of: name) else {
            throw EditError(.moved, "\(name) was counted concurrently")
        }
        let old = all.first { $0.key == Name(name) }?.value
        write(
            name,
            new.map { Tally(count: $0, device: device.name, microseconds: 1_000_000) },
            isOwn: true)
        let token = try JSONEncoder().encode(Undo(name: name, count: old?.count))
        return AppliedEdit(
            summary: preview.summary, date: Date(), rows: [RowID(name)],
            undo: [
                .revert(EditRecord(summary: preview.summary, model: "tallies", token: token))
            ])
    }

    private struct Undo: Codable {
        var name: String
        var count: Int?
    }

    /// The tally that an edit changes, and its new count.
    private func target(of edit: Edit) throws(EditError) -> (String, Int?) {
        switch edit {
        case .set(let row, nil, let text), .resolve(let row, .value(let text)):
            return (row.name, try number(text))
        case .add(let name, nil, _, let text): return (name, try number(text))
        case .remove(let rows, nil) where rows.count == 1: return (rows[0].name, nil)
        case .resolve(let row, .take(let side)):
            let tally = all.first { $0.key == Name(row.name) }?.value
            return (row.name, side.author.name == tally?.device ? tally?.count : tally?.other)
        case .revert(let written):
            let undo = try written.token(Undo.self, of: "tallies")
            return (undo.name, undo.count)
        default: throw EditError(.unsupported, "a tally is a number")
        }
    }

    private func number(_ text: TypedText) throws(EditError) -> Int {
        guard let number = Int(text.text) else {
            throw EditError(.invalid, "\(text.text) is not a number")
        }
        return number
    }

    private func stamp(of name: String) -> String {
        all.first { $0.key == Name(name) }.map { "\($0.value)" } ?? ""
    }
}

extension PaneID {
    static let tallies = PaneID("tallies")
    static let tallyLog = PaneID("log", of: "tallies")
    static let tallyConflicts = PaneID("conflicts", of: "tallies")
}

/// The tallies as rows.
final class TalliesSource: RowSource {
    enum Choice { case all, conflicts }

    private let part: TallyPart
    private let isLog: Bool
    private let choice: Choice

    init(_ part: TallyPart, isLog: Bool, _ choice: Choice = .all) {
        self.part = part
        self.isLog = isLog
        self.choice = choice
    }

    var info: ListInfo {
        ListInfo(
            isLog ? "Counted" : choice == .conflicts ? "Disputed" : "Tallies",
            columns: [
                Column("tally", "TALLY", minimumWidth: 10, isSortable: true),
                Column("count", "COUNT", width: 8, alignment: .trailing, isSortable: true),
                Column("device", "DEVICE", width: 10), Column("age", "AGE", width: 4),
            ],
            filterFields: [
                FilterField("tally", example: "tally:apples"),
                FilterField("count", .number, example: "count>3"),
                FilterField("device", .name, example: "device:ipad"),
                FilterField("age", .age, example: "age<1h"),
            ], edits: isLog ? [:] : part.availability.of(.set, .add, .remove, .resolve),
            valueKinds: [.integer], addForm: AddForm(name: "tally", value: "count"),
            hasPast: false)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let rows = part.all.filter { choice == .all || $0.value.other != nil }.map { name, tally in
            Row(
                id: RowID(name.text),
                cells: [
                    RowCell(name.text, .key),
                    RowCell(String(tally.count), .number, value: CellValue(Count(of: tally))),
                    RowCell(tally.device, .device),
                    RowCell(tally.instant.iso8601, .timestamp, instant: tally.instant),
                ], device: try? DeviceID(tally.device), isConflict: tally.other != nil)
        }
        return try await RowList(rows).arranged(request.query, by: info).window(request)
    }

    /// A cell value with a type that no other data model has.
    private struct Count: CellContent {
        let count: Int
        init(of tally: TallyPart.Tally) { count = tally.count }
        var asJSON: JSONValue { .integer(Int64(count)) }
        var asNumber: FilterNumber? { FilterNumber(Double(count)) }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let tally = part.all.first(where: { $0.key == Name(row.name) })?.value else {
            return nil
        }
        return Detail(
            title: row.name,
            sections: [
                Detail.Section(
                    "Tally",
                    [
                        Detail.Line("count", String(tally.count), .number),
                        Detail.Line(
                            "log", "open the log", .link,
                            link: Detail.Link(pane: .tallyLog, row: row)),
                    ])
            ])
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        guard let tally = part.all.first(where: { $0.key == Name(row.name) })?.value,
            let other = tally.other
        else { return nil }
        return RowConflict(
            sides: [
                RowConflict.Side(
                    author: .device(try DeviceID(tally.device)), value: String(tally.count),
                    instant: tally.instant, isWinner: true, reason: "newest",
                    typed: TypedText(.integer, String(tally.count))),
                RowConflict.Side(
                    author: .actor("somebody"), value: String(other),
                    instant: tally.instant, isWinner: false, reason: "older",
                    typed: TypedText(.integer, String(other))),
            ])
    }

    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        part.all.first { $0.key == Name(row.name) }
            .map { TypedText(.integer, String($0.value.count)) }
    }

    func preview(_ edit: Edit) async throws -> EditPreview { try part.preview(edit) }
    func apply(_ preview: EditPreview) async throws -> AppliedEdit { try part.apply(preview) }
}
