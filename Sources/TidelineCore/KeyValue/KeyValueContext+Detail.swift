import Foundation
import KeyValueStore
import Replication

/// What the inspector says of keys and log rows.
extension KeyValueContext {
    /// How many of a key's rows the inspector lists.
    private static let shownRows = 50

    func detail(ofKey key: String, at instant: Timestamp?) throws -> Detail? {
        var filter = KeyValueStore.RowFilter(key: key)
        filter.through = instant
        let page = try store.rows(filter, .newest, limit: Self.shownRows)
        let rows = Array(page.rows.reversed())
        guard let winner = rows.first else { return nil }
        let conflict = instant == nil ? try store.conflict(forKey: key) : nil
        var sections = [Detail.Section("Value", valueLines(winner))]
        if let conflict { sections.append(Detail.Section("Conflict", lines(of: conflict))) }
        sections.append(Detail.Section("Written", provenance(winner)))
        sections.append(Detail.Section("Devices", newestOfDevices(rows)))
        var history = rows.map(historyLine)
        if page.hasMore { history.append(Detail.Line("", "… older rows: see the log", .dim)) }
        sections.append(
            Detail.Section("History (\(rows.count)\(page.hasMore ? "+" : ""))", history))
        for (device, problem) in page.unread {
            sections.append(
                Detail.Section(
                    "Not read", [Detail.Line(name(of: device), problem, .problem)]))
        }
        return Detail(title: key, sections: sections)
    }

    /// All about one row of the log.
    func detail(of row: LogRow) throws -> Detail {
        let before = try store.predecessors(of: [row])[row.key]
        var sections = [
            Detail.Section("Value", valueLines(row)), Detail.Section("Written", provenance(row)),
        ]
        if let before {
            sections.append(Detail.Section("Before", [historyLine(before)]))
        }
        sections.append(
            Detail.Section(
                "Key",
                [
                    Detail.Line(
                        "", row.key, .link, link: Detail.Link(room: .keys, row: RowID(row.key)))
                ]))
        return Detail(title: "\(name(of: row.device)) #\(row.id)", sections: sections)
    }

    private func valueLines(_ row: LogRow) -> [Detail.Line] {
        do {
            guard let value = try row.value() else {
                return [Detail.Line("", "removed", .deletion)]
            }
            let size = row.bytes.map { PropertyList.size($0.count) } ?? ""
            return value.tree() + [Detail.Line("type", "\(value.kind), \(size)", .dim)]
        } catch {
            return [Detail.Line("", "no property list: \(error)", .problem)]
        }
    }

    /// Who wrote a row, and knowing what.
    private func provenance(_ row: LogRow) -> [Detail.Line] {
        var lines = [
            Detail.Line("device", name(of: row.device), .device),
            Detail.Line("time", row.timestamp.iso8601, .timestamp),
        ]
        if row.id > 0 { lines.append(Detail.Line("row", "#\(row.id)", .number)) }
        if let parents = row.parents {
            if parents.isEmpty { lines.append(Detail.Line("knowing", "nothing of this key", .dim)) }
            for parent in parents {
                lines.append(
                    Detail.Line(
                        "knowing", "\(name(of: parent.device)) \(parent.timestamp.iso8601)"))
            }
        } else if let parent = row.parentTimestamp {
            lines.append(Detail.Line("knowing", parent.iso8601))
        } else {
            lines.append(Detail.Line("knowing", "nothing of this key", .dim))
        }
        if store.configuration.clock.isImplausible(row.timestamp) {
            lines.append(Detail.Line("clock", "more than a day ahead", .problem))
        }
        return lines
    }

    private func newestOfDevices(_ rows: [LogRow]) -> [Detail.Line] {
        var seen: Set<DeviceID> = []
        return rows.filter { seen.insert($0.device).inserted }.map { row in
            Detail.Line(
                name(of: row.device), oneLine(row), row == rows.first ? .winner : .plain)
        }
    }

    private func historyLine(_ row: LogRow) -> Detail.Line {
        Detail.Line(
            name(of: row.device), "\(Self.minute(row.timestamp))  \(oneLine(row))",
            row.isDeletion ? .deletion : .plain)
    }

    /// An instant to the minute: `2026-11-21 09:12`.
    private static func minute(_ timestamp: Timestamp) -> String {
        String(timestamp.iso8601.prefix(16)).replacing("T", with: " ")
    }

    func oneLine(_ row: LogRow) -> String {
        do {
            return try row.value()?.line ?? "removed"
        } catch {
            return "no property list"
        }
    }

    private func lines(of conflict: KeyValueStore.Conflict) -> [Detail.Line] {
        ([conflict.winner] + conflict.others).enumerated().map { index, row in
            Detail.Line(
                name(of: row.device), "\(oneLine(row))  \(row.timestamp.iso8601)",
                index == 0 ? .winner : .loser)
        }
    }

    /// The sides of a conflict, with why the winner won.
    func conflict(ofKey key: String) throws -> RowConflict? {
        guard let conflict = try store.conflict(forKey: key) else { return nil }
        let rows = [conflict.winner] + conflict.others
        let sides = rows.enumerated().map { index, row in
            side(
                row, isWinner: index == 0,
                reason: index == 0 ? reasonToWin(conflict) : reasonToLose(row, conflict))
        }
        var notes: [String] = []
        if conflict.isPossible {
            notes.append("possible: a PARStore 1 row names one parent only")
        }
        for row in rows where store.configuration.clock.isImplausible(row.timestamp) {
            notes.append("\(name(of: row.device))'s clock is more than a day ahead")
        }
        return RowConflict(
            sides: sides, base: conflict.base.map { side($0, isWinner: false, reason: "") },
            notes: notes)
    }

    private func side(_ row: LogRow, isWinner: Bool, reason: String) -> RowConflict.Side {
        let value = (try? row.value()) ?? nil
        return RowConflict.Side(
            device: row.device, value: oneLine(row),
            role: row.isDeletion ? .deletion : value?.role ?? .problem, instant: row.timestamp,
            isWinner: isWinner, reason: reason, typed: value.map { TypedText($0) })
    }

    private func reasonToWin(_ conflict: KeyValueStore.Conflict) -> String {
        guard let next = conflict.others.map(\.timestamp).max() else { return "" }
        if next == conflict.winner.timestamp {
            return "same instant; the greater device identifier wins"
        }
        return "newest, by \(Self.span(from: next, to: conflict.winner.timestamp))"
    }

    private func reasonToLose(_ row: LogRow, _ conflict: KeyValueStore.Conflict) -> String {
        "older; written without seeing \(name(of: conflict.winner.device))'s"
    }

    static func span(from earlier: Timestamp, to later: Timestamp) -> String {
        let (microseconds, overflow) = later.microseconds.subtractingReportingOverflow(
            earlier.microseconds)
        guard !overflow else { return "ages" }
        return switch microseconds {
        case ..<1_000: "\(microseconds) µs"
        case ..<1_000_000: "\(microseconds / 1_000) ms"
        case ..<120_000_000: "\(microseconds / 1_000_000) s"
        case ..<7_200_000_000: "\(microseconds / 60_000_000) min"
        case ..<172_800_000_000: "\(microseconds / 3_600_000_000) h"
        default: "\(microseconds / 86_400_000_000) d"
        }
    }
}
