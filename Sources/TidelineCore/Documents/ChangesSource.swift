import Automerge
import Foundation
import Replication

/// The list of the document's changes, newest first.
final class ChangesSource: RowSource {
    private static let info = ListInfo(
        "History",
        columns: [
            Column("change", "CHANGE", width: 8),
            Column("actor", "ACTOR", minimumWidth: 8, width: 14),
            Column("time", "TIME", minimumWidth: 12, width: 14),
            Column("message", "MESSAGE", minimumWidth: 12),
            Column("ops", "OPS", width: 6, alignment: .trailing),
            Column("deps", "BASED ON", minimumWidth: 8, width: 17),
            Column("seq", "SEQ", width: 6, alignment: .trailing),
        ],
        filterFields: [
            FilterField("change", example: "change:4ddf*"),
            FilterField("actor", .name, example: "actor:06a2"),
            FilterField("device", .name, example: "device:06a2b97e"),
            FilterField("time", .instant, example: "time>2026-11-21"),
            FilterField("message", example: "message:*draft*"),
            FilterField("ops", .number, example: "ops>10"),
            FilterField("deps", example: "deps:4ddf*", aliases: ["behind"]),
            FilterField("seq", .number, example: "seq<10"),
        ], newestEnd: .first)
    var info: ListInfo {
        var info = Self.info
        info.subject = context.subject
        return info
    }

    private let context: any DocumentContext
    private let lists = KeptAnswers<OpenDocument, RowList>()
    /// The maximum number of steps of a change that the inspector shows.
    private static let shownSteps = 300

    init(_ context: any DocumentContext) { self.context = context }

    func forgetPast() { lists.forgetPast() }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        guard let open = try await context.opened() else {
            return RowWindow(rows: [], start: 0, total: 0)
        }
        let count =
            request.query.instant.map { open.times.count(through: $0) } ?? open.times.count
        let plain = ChangeRows(open: open, count: count)
        if request.query.filter.isEmpty, request.query.sort == nil {
            return try await plain.window(request)
        }
        let rows = try lists.answer(to: request.query, in: open) {
            var all: [Row] = []
            for start in stride(from: 0, to: count, by: 1024) {
                try Task.checkCancellation()
                all += plain.rows(start..<min(start + 1024, count))
            }
            return try RowList(all).arranged(request.query, by: info)
        }
        return try await rows.window(request)
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
            lines.append(
                Detail.Line("time", time.fullText.replacing(".000000", with: ""), .timestamp))
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
        // The position in the list.
        let made = instant.map { open.times.count(through: $0) } ?? open.times.count
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
        var lines = steps.prefix(Self.shownSteps).map { step in
            Detail.Line("", step.line, step.role)
        }
        let more = max(0, steps.count - Self.shownSteps) + differences.leftOutCount
        if more > 0 { lines.append(Detail.Line("", "… \(Counted.grouped(more)) more", .dim)) }
        return lines
    }

    private func dependencies(of change: RecordedChange) -> [Detail.Line] {
        if change.dependencies.isEmpty {
            return [Detail.Line("", "none: first change of the document", .dim)]
        }
        return change.dependencies.map { hash in
            let name = hash.debugDescription
            return Detail.Line(
                "", name, .link, link: Detail.Link(pane: .documentLog, row: RowID(name)))
        }
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let open = try await context.opened(), let (_, change) = open.change(row.name) else {
            return []
        }
        return [
            CopyForm("hash", row.name), CopyForm("actor", change.actor.hexadecimal),
            CopyForm("JSON", DocumentView.Change(change).json.line),
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

/// The first `count` changes by instant, in reverse order.
private struct ChangeRows: IndexedRows {
    let open: OpenDocument
    let count: Int

    func rows(_ range: Range<Int>) -> [Row] {
        range.compactMap { index in
            open.change(Int(open.times.order[count - 1 - index])).map(row)
        }
    }

    func index(of row: RowID) -> Int? {
        guard let (number, _) = open.change(row.name) else { return nil }
        let rank = Int(open.times.ranks[number])
        return rank < count ? count - 1 - rank : nil
    }

    private func row(_ change: RecordedChange) -> Row {
        let hash = change.hash.debugDescription
        let time = change.timestamp
        return Row(
            id: RowID(hash),
            cells: [
                RowCell(String(hash.prefix(8)), .key),
                open.authorCell(of: change.actor),
                RowCell(time?.plainISO8601 ?? "", .timestamp, instant: time),
                RowCell(change.message ?? "", .string),
                RowCell(String(change.operationCount), .number),
                RowCell(
                    change.dependencies.map { String($0.debugDescription.prefix(8)) }
                        .joined(separator: " "), .dim),
                RowCell(String(change.sequence), .number),
            ], device: OpenDocument.device(of: change.actor))
    }
}
