import Automerge
import Replication

/// The list of the document's changes, newest first.
final class ChangesSource: RowSource {
    static let columns = ChangeRows.changes.columns
    var info: ListInfo {
        ListInfo(
            "History", subject: context.subject, columns: Self.columns,
            filterFields: ChangeRows.changes.filterFields, isNewestFirst: true)
    }

    private let context: any DocumentContext
    private let lists = ResultCache<OpenDocument, ArrangedList<ChangeRows>>()
    /// The maximum number of steps of a change that the inspector shows.
    private static let shownSteps = 300

    init(_ context: any DocumentContext) { self.context = context }

    func forgetPast() { lists.forgetPast() }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        guard let open = try await context.opened() else {
            return RowWindow(rows: [], start: 0, total: 0)
        }
        let rows = ChangeRows(open: open, count: open.times.count(through: request.query.instant))
        return try await lists.window(request, of: rows, in: open)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let open = try await context.opened(), let (number, change) = open.change(row.name)
        else {
            return nil
        }
        var lines = [Detail.Line("hash", row.name, .key)]
        lines += open.authorLines(change.actor)
        lines.append(
            Detail.Line("sequence", "\(Counted.grouped(change.sequence)) of this actor", .number))
        if let time = change.timestamp {
            lines.append(Detail.Line("time", time.fullText, .timestamp))
        } else {
            lines.append(Detail.Line("time", "not recorded", .dim))
        }
        if change.operationCount > 0 {
            let last = change.startCounter &+ UInt64(change.operationCount) &- 1
            let numbers =
                change.operationCount == 1
                ? "number \(last)" : "numbers \(change.startCounter) to \(last)"
            lines.append(
                Detail.Line("ops", "\(Counted.grouped(change.operationCount)), \(numbers)", .number)
            )
        } else {
            lines.append(Detail.Line("ops", "none", .number))
        }
        // The list shows only the changes up to the instant.
        let made = open.times.count(through: instant)
        let place = made - Int(open.times.ranks[number])
        if place > 0 {
            lines.append(
                Detail.Line(
                    "position",
                    "\(Counted.grouped(place)) of \(Counted.text(made, "change")), newest first",
                    .dim))
        }
        var sections = [Detail.Section("Change", lines)]
        if let message = change.message {
            sections.append(
                Detail.Section(
                    "Message",
                    message.split(separator: "\n", omittingEmptySubsequences: false)
                        .map { Detail.Line("", String($0), .string) }))
        }
        sections.append(Detail.Section("Edits", steps(of: change, in: open)))
        sections.append(Detail.Section("Based on", dependencies(of: change)))
        return Detail(title: String(row.name.prefix(8)), sections: sections)
    }

    private func steps(of change: RecordedChange, in open: OpenDocument) -> [Detail.Line] {
        let differences = open.view.differences(by: change)
        let steps = differences.steps
        if steps.isEmpty, differences.leftOutCount == 0 {
            return [Detail.Line("", "nothing visible", .dim)]
        }
        return steps.prefix(Self.shownSteps).map { Detail.Line("", $0.line, $0.role) }
            + Detail.Line.rest(max(0, steps.count - Self.shownSteps) + differences.leftOutCount)
    }

    private func dependencies(of change: RecordedChange) -> [Detail.Line] {
        if change.dependencies.isEmpty {
            return [Detail.Line("", "none: first change of the document", .dim)]
        }
        return change.dependencies.map { hash in
            let name = hash.debugDescription
            return Detail.Line(
                "", name, .link, link: Detail.Link(pane: .documentHistory, row: RowID(name)))
        }
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let open = try await context.opened(), let (_, change) = open.change(row.name) else {
            return []
        }
        return [
            CopyForm("hash", row.name), CopyForm("actor", change.actor.hexadecimal),
            CopyForm("JSON", DocumentView.Change(recorded: change).json.line),
        ]
    }
}

extension DocumentView.Difference {
    fileprivate var role: TextRole {
        switch patch.action {
        case .DeleteMap, .DeleteSeq: .removed
        case .Conflict: .conflict
        case .Put, .Insert, .SpliceText, .Increment, .Marks: .added
        }
    }
}

/// The `count` earliest changes by instant, newest first.
private struct ChangeRows: IndexedItems {
    let open: OpenDocument
    let count: Int

    typealias Listed = (open: OpenDocument, change: RecordedChange)

    static let changes = ListSchema<Listed>(
        [
            ListColumn("change", "CHANGE", width: 8, isSortable: false, example: "change:4ddf*") {
                RowCell(String($0.change.hash.debugDescription.prefix(8)), .key)
            },
            ListColumn(
                "actor", "ACTOR", minimumWidth: 8, width: 14, isSortable: false, .name,
                example: "actor:06a2"
            ) { $0.open.authorCell(of: $0.change.actor) },
            .hiddenDevice { OpenDocument.device(of: $0.change.actor) },
            ListColumn(
                "time", "TIME", minimumWidth: 12, width: 14, isSortable: false, .instant,
                example: "time>2026-11-21"
            ) {
                let time = $0.change.timestamp
                return RowCell(time?.plainISO8601 ?? "", .timestamp, instant: time)
            },
            ListColumn(
                "message", "MESSAGE", minimumWidth: 12, isSortable: false,
                example: "message:*draft*"
            ) { RowCell($0.change.message ?? "", .string) },
            .number("ops", "OPS", width: 6, isSortable: false, example: "ops>10") {
                $0.change.operationCount
            },
            ListColumn(
                "deps", "BASED ON", minimumWidth: 8, width: 17, isSortable: false,
                example: "deps:4ddf*", aliases: ["behind"]
            ) {
                let names = $0.change.dependencies.map { $0.debugDescription.prefix(8) }
                return RowCell(names.joined(separator: " "), .dim)
            },
            .number(
                "seq", "SEQ", width: 6, isIdentifier: true, isSortable: false, example: "seq<10"
            ) {
                $0.change.sequence
            },
        ], id: { RowID($0.change.hash.debugDescription) },
        mark: { $0.device = OpenDocument.device(of: $1.change.actor) })

    var schema: ListSchema<Listed> { Self.changes }

    func items(_ range: Range<Int>) -> [Listed] {
        range.compactMap { index in
            open.change(Int(open.times.order[count - 1 - index])).map { (open, $0) }
        }
    }

    func index(of row: RowID) -> Int? {
        guard let (number, _) = open.change(row.name) else { return nil }
        let rank = Int(open.times.ranks[number])
        return rank < count ? count - 1 - rank : nil
    }
}
