import Foundation
import KeyValueStore
import Replication

/// The inspector's content for keys and log rows.
extension KeyValueContext {
    /// The maximum size in bytes of values that are loaded with their rows. Larger values are
    /// loaded one by one.
    static let longestListed = 65_536

    /// Returns a row with its value loaded, unless the value is too large.
    func withValue(_ row: LogRow) throws -> LogRow {
        guard row.isLeftInLog, row.byteCount <= store.configuration.longestValue else { return row }
        return try store.rows(at: [row.position]).first ?? row
    }

    /// The maximum number of rows in a key's history.
    private static let shownRows = 50

    func detail(ofKey key: String, at instant: Timestamp?) throws -> Detail? {
        let filter = KeyValueStore.RowFilter(
            key: key, through: instant, longestValue: Self.longestListed)
        let page = try store.rows(filter, .newest, limit: Self.shownRows)
        var rows = Array(page.rows.reversed())
        if let newest = rows.first { rows[0] = try withValue(newest) }
        guard let deciding = winner(ofKey: key, among: rows, at: instant) else { return nil }
        let winner = try withValue(store.original(of: deciding))
        let conflict = try storeConflict(ofKey: key, at: instant)
        var sections = [Detail.Section("Value", valueLines(winner))]
        if let conflict { sections.append(Detail.Section("Conflict", lines(of: conflict))) }
        var written = provenance(winner)
        if deciding != winner {
            written.append(
                Detail.Line(
                    "restored", "\(deciding.timestamp.fullText)  \(name(of: deciding.device))",
                    .timestamp, version: deciding.version))
        }
        sections.append(Detail.Section("Written", written))
        let newest = try newestOfDevices(rows, winner, page.hasMore ? filter : nil)
        sections.append(Detail.Section("Devices", newest + partialLogs(besides: page.unread)))
        var history = rows.map(historyLine)
        if page.hasMore { history.append(Detail.Line("", "… for older rows see the log", .dim)) }
        sections.append(
            Detail.Section("History (\(rows.count)\(page.hasMore ? "+" : ""))", history))
        for (device, problem) in page.unread.sorted(by: { $0.key < $1.key }) {
            sections.append(
                Detail.Section(
                    "Unreadable", [Detail.Line(name(of: device), problem, .problem)]))
        }
        return Detail(title: key, sections: sections)
    }

    /// Returns the winning row. If it isn't saved yet, or if its log is no longer readable, returns
    /// the row in memory.
    ///
    /// - Parameter rows: The newest readable rows, newest first.
    func winner(
        ofKey key: String, among rows: [LogRow], at instant: Timestamp?
    ) -> LogRow? {
        guard let entry = store.entry(forKey: key), let device = entry.device,
            instant.map({ entry.timestamp <= $0 }) ?? true,
            !rows.contains(where: { $0.device == device && $0.timestamp == entry.timestamp }),
            store.unsavedKeys.contains(key)
                || store.devices.contains(where: { $0.device == device && $0.state != .ok })
        else { return rows.first }
        return LogRow(
            device: device, id: 0, timestamp: entry.timestamp, key: key,
            bytes: entry.bytes.map { Data($0) }, byteCount: entry.byteCount)
    }

    /// Returns the winning value of a key at an instant.
    ///
    /// - Complexity: The complexity of finding the key's newest row.
    func value(ofKey key: String, at instant: Timestamp?) throws -> PropertyList? {
        guard let instant else { return try store.entry(forKey: key)?.value() }
        return try row(ofKey: key, at: instant)?.value()
    }

    /// Returns the winning row of a key at an instant.
    ///
    /// - Complexity: The complexity of finding the key's newest row.
    func row(ofKey key: String, at instant: Timestamp) throws -> LogRow? {
        let filter = KeyValueStore.RowFilter(key: key, through: instant)
        let rows = try store.rows(filter, .newest, limit: 1).rows
        return winner(ofKey: key, among: rows, at: instant)
    }

    func storeConflict(
        ofKey key: String, at instant: Timestamp?
    ) throws -> KeyValueStore.Conflict? {
        if let instant { return try store.conflict(forKey: key, at: instant) }
        return try store.conflict(forKey: key)
    }

    /// Returns the inspector's content for a log row.
    func detail(of row: LogRow) throws -> Detail {
        let before = try store.readablePredecessors(of: [row]).rows[row.key]
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
                        "", row.key, .link, link: Detail.Link(pane: .keys, row: RowID(row.key)))
                ]))
        return Detail(title: "\(name(of: row.device)) #\(row.id)", sections: sections)
    }

    /// Returns the inspector's content for the row of a key that one device wrote at an instant.
    func version(_ version: Detail.Version, ofKey key: String) throws -> Detail? {
        let filter = KeyValueStore.RowFilter(
            devices: [version.writer], key: key, from: version.instant, through: version.instant)
        guard let found = try store.rows(filter, .newest, limit: 1).rows.last else { return nil }
        let row = try withValue(found)
        return Detail(
            versionOf: key, written: provenance(row), value: valueLines(row),
            differences: differences(of: row))
    }

    /// Returns the lines about how the value of a row differs from the current value.
    private func differences(of row: LogRow) -> [Detail.Line] {
        let entry = store.entry(forKey: row.key)
        do {
            guard let now = try entry?.value() else {
                guard entry?.byteCount ?? 0 > 0 else {
                    return Detail.Line.differences(from: try row.value(), to: nil)
                }
                return [Detail.Line("", "the current value is too large to compare", .dim)]
            }
            return Detail.Line.differences(from: try row.value(), to: now)
        } catch {
            return [Detail.Line("", "can't be compared: \(error)", .problem)]
        }
    }

    private func valueLines(_ row: LogRow) -> [Detail.Line] {
        if row.isLeftInLog {
            return [
                Detail.Line("", PropertyList.line(ofByteCount: row.byteCount), .dim),
                Detail.Line("type", "too large to show: use 'tideline kv get'", .dim),
            ]
        }
        do {
            guard let value = try row.value() else {
                return [Detail.Line("", "deleted", .deletion)]
            }
            let size = ByteCount.text(row.byteCount)
            return value.tree() + [Detail.Line("type", "\(value.typeName), \(size)", .dim)]
        } catch {
            return [Detail.Line("", "invalid value: \(error)", .problem)]
        }
    }

    /// Returns the lines about a row's writer and causal parents.
    private func provenance(_ row: LogRow) -> [Detail.Line] {
        var lines = [
            Detail.Line("device", name(of: row.device), .device),
            Detail.Line("time", row.timestamp.fullText, .timestamp, version: row.version),
        ]
        // A row in memory has no number and no parents.
        guard row.id > 0 else {
            if store.unsavedKeys.contains(row.key) {
                lines.append(Detail.Line("", "not saved yet", .dim))
            }
            return lines + clockProblem(row)
        }
        lines.append(Detail.Line("row", "#\(row.id)", .number))
        if let parents = row.parents {
            if parents.isEmpty { lines.append(Detail.Line("", "first write of this key", .dim)) }
            for parent in parents {
                lines.append(
                    Detail.Line(
                        "based on", "\(parent.timestamp.fullText)  \(name(of: parent.device))",
                        .timestamp, version: parent.version))
            }
        } else if let parent = row.parentTimestamp {
            lines.append(Detail.Line("based on", parent.fullText, .timestamp))
        } else {
            lines.append(Detail.Line("", "first write of this key", .dim))
        }
        for taken in row.reverts {
            lines.append(
                Detail.Line(
                    "undoes", "\(taken.timestamp.fullText)  \(name(of: taken.device))",
                    .timestamp, version: taken.version))
        }
        return lines + clockProblem(row)
    }

    private func clockProblem(_ row: LogRow) -> [Detail.Line] {
        store.configuration.clock.isImplausible(row.timestamp)
            ? [Detail.Line("clock", "more than a day ahead", .problem)] : []
    }

    /// Returns the newest row of each device.
    ///
    /// - Parameter rest: The filter for rows that are not among `rows`; `nil` if there are no other
    ///   rows.
    private func newestOfDevices(
        _ rows: [LogRow], _ winner: LogRow, _ rest: KeyValueStore.RowFilter?
    ) throws -> [Detail.Line] {
        var newest: [DeviceID: LogRow] = [winner.device: winner]
        for row in rows where newest[row.device] == nil { newest[row.device] = row }
        if var rest {
            for device in store.devices.map(\.device) where newest[device] == nil {
                rest.devices = [device]
                newest[device] = try store.rows(rest, .newest, limit: 1).rows.last
            }
        }
        return newest.values.sorted { $0.position > $1.position }.map { row in
            Detail.Line(
                name(of: row.device), oneLine(row), row == winner ? .winner : .plain,
                version: row.version)
        }
    }

    /// Returns a line for each log that isn't read completely, because it may have a newer value.
    ///
    /// - Parameter unread: The devices that are listed elsewhere, with their problems.
    private func partialLogs(besides unread: [DeviceID: String]) -> [Detail.Line] {
        let partial: Set<DeviceStatus.State> = [.incomplete, .unreadable]
        return store.devices.filter { partial.contains($0.state) && unread[$0.device] == nil }
            .map { status in
                Detail.Line(
                    name(of: status.device), "\(status.state.rawValue): may have a newer value",
                    .problem)
            }
    }

    private func historyLine(_ row: LogRow) -> Detail.Line {
        Detail.Line(
            name(of: row.device), "\(row.timestamp.secondText)  \(oneLine(row))",
            row.isDeletion ? .deletion : .plain, version: row.version)
    }

    func oneLine(_ row: LogRow) -> String {
        if row.isLeftInLog { return PropertyList.line(ofByteCount: row.byteCount) }
        do {
            return try row.value()?.line ?? "deleted"
        } catch {
            return "invalid value"
        }
    }

    private func lines(of conflict: KeyValueStore.Conflict) -> [Detail.Line] {
        let sides = conflict.rows.enumerated().map { index, row in
            Detail.Line(
                name(of: row.device), "\(oneLine(row))  \(row.timestamp.secondText)",
                index == 0 ? .winner : .loser, version: row.version)
        }
        return sides
            + conflict.unread.keys.filter { $0 != conflict.winner.device }.sorted().map {
                Detail.Line(name(of: $0), "unreadable now", .problem)
            }
    }

    /// Returns the sides of a conflict, with the reason for the winner.
    func rowConflict(_ conflict: KeyValueStore.Conflict) -> RowConflict {
        let sides = conflict.rows.enumerated().map { index, row in
            side(
                row, isWinner: index == 0,
                reason: index == 0
                    ? RowConflict.reasonToWin(
                        row.timestamp, over: conflict.others.map(\.timestamp))
                    : RowConflict.reasonToLose(
                        to: name(of: conflict.winner.device),
                        isSameAuthor: row.device == conflict.winner.device))
        }
        var notes: [String] = []
        if conflict.isPossible {
            notes.append("possible conflict: PARStore 1 rows record only one parent")
        }
        for row in conflict.rows where store.configuration.clock.isImplausible(row.timestamp) {
            notes.append("\(name(of: row.device))'s row is more than a day ahead")
        }
        for (device, problem) in conflict.unread.sorted(by: { $0.key < $1.key }) {
            notes.append("the log of \(name(of: device)) can't be read: \(problem)")
        }
        return RowConflict(
            sides: sides, base: conflict.base.map { side($0, isWinner: false, reason: "") },
            proposal: conflict.proposal.flatMap(RowConflict.Proposal.init), notes: notes)
    }

    private func side(_ row: LogRow, isWinner: Bool, reason: String) -> RowConflict.Side {
        RowConflict.Side(
            author: .device(row.device), value: oneLine(row), role: role(of: row),
            instant: row.timestamp, isWinner: isWinner, reason: reason,
            typed: ((try? row.value()) ?? nil).map { TypedText($0) })
    }

    func role(of row: LogRow) -> TextRole {
        if row.isDeletion { return .deletion }
        if row.isLeftInLog { return .dim }
        return ((try? row.value()) ?? nil)?.role ?? .problem
    }
}

extension LogRow {
    fileprivate var version: Detail.Version { Detail.Version(at: timestamp, by: device) }
}

extension LogRow.Reference {
    fileprivate var version: Detail.Version { Detail.Version(at: timestamp, by: device) }
}
