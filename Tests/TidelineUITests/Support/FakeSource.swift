import Foundation
import Replication
import Synchronization
import TidelineCore

/// An editable list of rows in memory, which can refuse edits.
final class FakeSource: RowSource {
    struct Entry: Sendable {
        var id: RowID
        var kind: TypedText.Kind
        var value: String
        var device: DeviceID
        var instant: Timestamp
        var sides: [String] = []
        /// The sides whose values can't be shown as texts.
        var hiddenSides: Set<Int> = []
        /// The number of conflicts inside the row.
        var inside = 0
        /// The types that distinguish equal-looking sides, by side.
        var types: [Int: String] = [:]
        /// The merge proposal for the sides.
        var proposal: RowConflict.Proposal?
        /// The common base of the sides.
        var base: String?
        var detail: ConflictDetail?
        /// Additional sections for the inspector.
        var sections: [Detail.Section] = []
        /// Earlier versions, as values.
        var versions: [Detail.Version: String] = [:]
        /// The parts of the value, with their writers.
        var parts: [Detail.Part] = []

        /// The IDs of the first two sides.
        func sideIDs() throws -> [RowConflict.SideID] {
            try ["dev0", "dev1"].map {
                RowConflict.SideID(.device(try DeviceID($0)), at: instant)
            }
        }
    }

    private let plain: ListInfo
    var info: ListInfo {
        var info = plain
        info.formsOfColumns.merge(state.withLock { $0.forms }) { $1 }
        return info
    }
    private let leavesWhenResolved: Bool
    static let columns = [
        Column("key", "Key", minimumWidth: 14, isSortable: true),
        Column("type", "Type", width: 8),
        Column("value", "Value", minimumWidth: 16, isSortable: true),
        Column("device", "Device", width: 10),
        Column("age", "Age", width: 4, alignment: .trailing, isSortable: true),
    ]
    private static let fields = [
        FilterField("key", example: "key:note/*"), FilterField("device", example: "device:ipad"),
        FilterField("value", example: "value:milk"),
    ]
    private let state: Mutex<State>

    private struct State {
        var entries: [Entry] { didSet { list = nil } }
        var past: [Entry]?
        var inner: [RowID: any RowSource] = [:]
        var isNewDevice = false
        var refusal: String?
        var refusalCode = EditError.Code.notFound
        var writes = 0
        /// The number of edits after which the disk is full.
        var room = Int.max
        /// The error that reading rows throws.
        var failure: CoreError?
        var forms: [String: String] = [:]
        /// The cached rows of the entries.
        var list: RowList?
    }

    init(
        _ title: String, _ entries: [Entry] = [], isNewestFirst: Bool = false,
        edits: [EditKind: Availability] = Dictionary(
            uniqueKeysWithValues: EditKind.allCases.filter { $0 != .takeOver }
                .map { ($0, .available) }),
        leavesWhenResolved: Bool = false, moreFields: [FilterField] = [], hasPast: Bool = true,
        hasNumbers: Bool = false, subject: String? = nil, writes: Writes? = nil,
        commands: [ListCommand: CommandOffer] = [:], columns: [Column] = FakeSource.columns
    ) {
        self.leavesWhenResolved = leavesWhenResolved
        var info = ListInfo(
            title, columns: columns, filterFields: Self.fields + moreFields, edits: edits,
            isNewestFirst: isNewestFirst, hasPast: hasPast)
        info.subject = subject
        info.commands = commands
        info.hasAuthors = true
        info.writes = writes
        if hasNumbers {
            info.numberForms = [
                NumberForm("number", "numbers"), NumberForm("unix", "Unix seconds"),
            ]
            info.formsOfColumns = ["value": "number"]
        }
        plain = info
        state = Mutex(State(entries: entries))
    }

    var entries: [Entry] {
        get { state.withLock { $0.entries } }
        set { state.withLock { $0.entries = newValue } }
    }

    /// The entries at every instant of the past; `nil` if they never changed.
    var past: [Entry]? {
        get { state.withLock { $0.past } }
        set { state.withLock { $0.past = newValue } }
    }

    /// The number of edits written.
    var writes: Int { state.withLock { $0.writes } }

    /// The number of edits that can still be written.
    var room: Int {
        get { state.withLock { $0.room } }
        set { state.withLock { $0.room = newValue } }
    }

    /// The error that reading rows throws, or `nil` if rows can be read.
    var failure: CoreError? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    /// The reason for refusing previews, or `nil` if edits can be previewed.
    var refusal: String? {
        get { state.withLock { $0.refusal } }
        set { state.withLock { $0.refusal = newValue } }
    }

    /// The code of the error that refuses previews.
    var refusalCode: EditError.Code {
        get { state.withLock { $0.refusalCode } }
        set { state.withLock { $0.refusalCode = newValue } }
    }

    var isNewDevice: Bool {
        get { state.withLock { $0.isNewDevice } }
        set { state.withLock { $0.isNewDevice = newValue } }
    }

    func showNumbers(_ forms: [String: String]) async throws {
        state.withLock { $0.forms.merge(forms) { $1 } }
    }

    func put(_ source: any RowSource, inside row: RowID) {
        state.withLock { $0.inner[row] = source }
    }

    private var list: RowList {
        state.withLock { state in
            if let list = state.list { return list }
            let list = RowList(state.entries.map(Self.row))
            state.list = list
            return list
        }
    }

    private static func row(_ entry: Entry) -> Row {
        let value = entry.sides.isEmpty ? entry.value : entry.sides.joined(separator: " | ")
        return Row(
            id: entry.id,
            cells: [
                RowCell(entry.id.name, .key), RowCell(entry.kind.rawValue, .label),
                RowCell(value, entry.kind == .string ? .string : .number),
                RowCell(entry.device.name, .device),
                RowCell("2026-01-01", .timestamp, instant: entry.instant),
            ], device: entry.device, isConflict: !entry.sides.isEmpty,
            conflictsInside: entry.inside, isCounter: entry.kind == .counter)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        if let failure { throw failure }
        return try await rows(request)
    }

    func rows(_ request: WindowRequest) async throws -> RowWindow {
        let past = request.query.instant == nil ? nil : past.map { RowList($0.map(Self.row)) }
        return try await (past ?? list).arranged(request.query, by: info).window(request)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let entry = entries.first(where: { $0.id == row }) else { return nil }
        return Detail(
            title: row.name,
            sections: [
                .init("Value", [.init("", entry.value, .string, field: "value")]),
                .init(
                    "Devices",
                    [
                        .init(
                            entry.device.name, "wrote it", .device,
                            link: .init(pane: .log, row: row))
                    ]),
            ] + entry.sections)
    }

    func version(_ version: Detail.Version, of row: RowID) async throws -> Detail? {
        entries.first { $0.id == row }?.versions[version].map { value in
            Detail(title: row.name, sections: [.init("Earlier version", [.init("", value)])])
        }
    }

    func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts? {
        guard let entry = entries.first(where: { $0.id == row }), !entry.parts.isEmpty else {
            return nil
        }
        let parts = entry.parts.map { part in
            WrittenText.Part(part.text, by: TextWriter(part.author ?? .unknown))
        }
        return WrittenTexts(row.name, [WrittenText(label: "", parts: parts)]) { $0.name }
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        guard let entry = entries.first(where: { $0.id == row }), !entry.sides.isEmpty else {
            return nil
        }
        let sides = try entry.sides.enumerated().map { index, value in
            RowConflict.Side(
                author: .device(try DeviceID("dev\(index)")), value: value,
                role: entry.kind == .date ? .date : .plain, instant: entry.instant,
                isWinner: index == 0, reason: index == 0 ? "newest" : "older",
                typed: entry.hiddenSides.contains(index) ? nil : TypedText(entry.kind, value),
                type: entry.types[index])
        }
        let base = try entry.base.map { value in
            RowConflict.Side(
                author: .device(try DeviceID("dev0")), value: value, instant: entry.instant,
                isWinner: false, reason: "", typed: TypedText(entry.kind, value))
        }
        return RowConflict(sides: sides, base: base, proposal: entry.proposal)
    }

    func conflictDetail(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> ConflictDetail? {
        entries.first { $0.id == row }?.detail
    }

    /// Proposes the picked sides, without overlaps.
    func proposal(
        of row: RowID, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) async throws -> RowConflict.Proposal? {
        let texts = picks.map { "\($0.key) as \($0.value.author.name) has it" }.sorted()
        let entry = entries.first { $0.id == row }
        return RowConflict.Proposal(
            TypedText(.string, texts.joined(separator: ", ")), value: "picked",
            overlaps: entry?.proposal?.overlaps ?? [])
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        state.withLock { $0.inner[row] }
    }

    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        entries.first { $0.id == row }.map { TypedText($0.kind, $0.value) }
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let entry = entries.first(where: { $0.id == row }) else { return [] }
        return [CopyForm("value", entry.value), CopyForm("key", row.name)]
    }

    func changedRows(under prefix: String, since instant: Timestamp) async throws -> [RowID] {
        entries.map(\.id).filter { $0.name.hasPrefix(prefix) }
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        if let refusal { throw EditError(refusalCode, refusal) }
        if case .set(_, _, let typed) = edit, typed.kind == .integer, Int(typed.text) == nil {
            throw EditError(.invalid, "\(typed.text) is not a whole number")
        }
        let entries = entries
        let rows = Self.rows(of: edit)
        let changes = rows.map { row in
            EditPreview.Change(
                subject: row.name, old: entries.first { $0.id == row }.map { .init($0.value) },
                new: Self.newValue(of: edit).map { .init($0) })
        }
        if case .run(let command, let argument) = edit {
            return EditPreview(
                edit: edit, summary: "\(command.name) with \(argument.quoted)", changes: [],
                file: command.writes ? "Catalog.db" : nil)
        }
        return EditPreview(
            edit: edit,
            summary:
                "\(edit.kind == .remove ? "delete" : "\(edit.kind)") \(rows.map(\.name).joined(separator: ", "))",
            changes: changes, device: try DeviceID("me"), file: "devices/me/Logs.db",
            createsDevice: isNewDevice,
            expectation: Dictionary(
                uniqueKeysWithValues: rows.map { row in
                    (Name(row.name), entries.first { $0.id == row }?.value ?? "")
                }))
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        for (name, value) in preview.expectation {
            let now = entries.first { Name($0.id.name) == name }?.value ?? ""
            if now != value { throw EditError(.moved, "\(name) was changed by ipad") }
        }
        let device = try DeviceID("me")
        return try state.withLock { state in
            guard state.room > 0 else { throw EditError(.notWritten, "no space left on the disk") }
            state.room -= 1
            state.writes += 1
            state.isNewDevice = false
            var undo: [Edit] = []
            let rows = Self.rows(of: preview.edit)
            let before = state.entries
            let index = { (row: RowID) in before.firstIndex { $0.id == row } }
            switch preview.edit {
            case .set(let row, let field, let typed):
                if let place = index(row) {
                    let old = state.entries[place]
                    undo = [.set(row, field: field, TypedText(old.kind, old.value))]
                    state.entries[place].kind = typed.kind
                    state.entries[place].value = typed.text
                }
            case .add(let name, _, _, let typed):
                state.entries.append(
                    Entry(
                        id: RowID(name), kind: typed.kind, value: typed.text, device: device,
                        instant: Timestamp(microseconds: 0)))
                state.entries.sort { $0.id.name < $1.id.name }
                undo = [.remove([RowID(name)], field: nil)]
            case .rename(let row, _, let name):
                if let place = index(row) {
                    state.entries[place].id = RowID(name)
                    undo = [.rename(RowID(name), to: row.name)]
                }
            case .remove(let rows, _):
                for row in rows {
                    guard let place = state.entries.firstIndex(where: { $0.id == row }) else {
                        continue
                    }
                    let old = state.entries.remove(at: place)
                    undo.append(
                        .add(name: row.name, parent: nil, TypedText(old.kind, old.value)))
                }
            case .resolve(let row, let resolution):
                if let place = index(row) {
                    if case .value(let typed) = resolution {
                        state.entries[place].value = typed.text
                    }
                    if case .picks(let picks) = resolution {
                        state.entries[place].value = picks.map {
                            "\($0.key)=\($0.value.author.name)"
                        }
                        .sorted().joined(separator: " ")
                    }
                    if case .take(let side) = resolution,
                        let number = Int(side.author.name.dropFirst(3)),
                        state.entries[place].sides.indices.contains(number)
                    {
                        state.entries[place].value = state.entries[place].sides[number]
                    }
                    state.entries[place].sides = []
                    if leavesWhenResolved { state.entries.remove(at: place) }
                }
            case .count(let row, let amount):
                if let place = index(row), let old = Int64(state.entries[place].value) {
                    state.entries[place].value = String(old + amount)
                    undo = [.count(row, by: -amount)]
                }
            case .relate, .restore, .takeOver, .revert, .run: break
            }
            return AppliedEdit(
                summary: preview.summary, date: Date(timeIntervalSinceReferenceDate: 0), rows: rows,
                undo: undo)
        }
    }

    private static func rows(of edit: Edit) -> [RowID] {
        switch edit {
        case .set(let row, _, _), .resolve(let row, _), .relate(let row, _, _, _),
            .count(let row, _):
            [row]
        case .add(let name, _, _, _): [RowID(name)]
        case .rename(let row, _, let name): [row, RowID(name)]
        case .remove(let rows, _), .restore(let rows, _, _), .takeOver(let rows): rows
        case .revert(let written): written.changes.map { RowID($0.subject) }
        case .run: []
        }
    }

    private static func newValue(of edit: Edit) -> String? {
        switch edit {
        case .set(_, _, let typed), .add(_, _, _, let typed), .resolve(_, .value(let typed)):
            typed.text
        case .resolve(_, .take(let side)): "that of \(side.author.name)"
        case .resolve(_, .picks): "the picked parts"
        case .resolve(_, .properties(let ways)):
            ways.map { "\($0.key): \(newValue(of: .resolve(RowID(""), $0.value)) ?? "")" }.sorted()
                .joined(separator: ", ")
        case .count(_, let amount): "\(amount) more"
        case .rename, .remove, .relate, .restore, .takeOver, .revert, .run: nil
        }
    }
}
