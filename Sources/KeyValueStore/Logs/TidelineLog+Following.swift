import Foundation
import GRDB
import Replication

/// Reading what a log of this library's own form got since it was read.
extension TidelineLog {
    /// Reads the rows behind a cursor, up to the first that is missing.
    ///
    /// - Parameters:
    ///   - old: What was read before; `nil` for nothing.
    ///   - longest: Values of more bytes stay in the log.
    /// - Returns: `nil` if the log is not the one that was read before, or has become shorter.
    static func update(
        _ database: Database, behind old: KeyValueHead?, longest: Int
    ) throws -> LogUpdate? {
        let identity = try identity(of: database)
        var progress = try (old?.cursor ?? .start).progress(
            in: database, table: table, identity: identity)
        if old != nil, progress.isAnew { return nil }
        var head = old ?? KeyValueHead(format: .tideline2, identity: identity.identity)
        head.stop = nil
        head.writers = try writers(database)
        head.notes.claimant = identity.device
        return try ValueColumn.reading("value", in: database, upTo: longest) {
            try rows(database, behind: &progress, head, $0)
        }
    }

    private static func rows(
        _ database: Database, behind progress: inout LogProgress, _ head: KeyValueHead,
        _ values: ValueColumn
    ) throws -> LogUpdate {
        var head = head
        var places: [[UInt8]: Int] = [:]
        var rows: [LogUpdate.Row] = []
        var count = 0
        var told = ToldRows()
        let new = try Stepper(
            database,
            "SELECT id, timestamp, key, \(values.sql), parents FROM log WHERE id > ? ORDER BY id")
        new.bind(1, progress.start.lastID)
        while try new.step() {
            guard let id = new.integer(0), progress.accept(id, mark: new.integer(1) ?? 0) else {
                break
            }
            guard let timestamp = new.integer(1), let key = new.text(2).map(Array.init) else {
                throw ReplicationError(.unreadable, "row \(id) is not valid")
            }
            count += 1
            guard head.note(timestamp) else { continue }
            var causes: [CauseList.Cause] = []
            if let parents = new.blob(4),
                !CauseList.forEach(
                    parents, leavesOut: &head.leavesOutTimes, { causes.append($0) })
            {
                throw ReplicationError(.unreadable, "the parents of row \(id) are damaged")
            }
            told.note(id, timestamp)
            if let place = places[key] {
                let known = rows[place]
                let isNewer = known.timestamp <= timestamp
                rows[place] = LogUpdate.Row(
                    key: key, id: isNewer ? id : known.id,
                    timestamp: max(known.timestamp, timestamp),
                    value: isNewer ? LoadedValue(values.content(new, 3)) : known.value,
                    causes: merged(known.causes, causes))
            } else {
                places[key] = rows.count
                rows.append(
                    LogUpdate.Row(
                        key: key, id: id, timestamp: timestamp,
                        value: LoadedValue(values.content(new, 3)), causes: causes))
            }
        }
        head.cursor = progress.cursor
        head.rowCount = Int(clamping: head.lastID)
        head.gap = progress.gap.map {
            "row \($0) is missing; rows up to \(progress.lastID) wait for it"
        }
        try addKnown(database, to: &rows, leavesOut: &head.leavesOutTimes)
        var update = LogUpdate(head: head, rows: rows, count: count)
        update.told = told
        if !rows.isEmpty, let forks = try ForkTable(in: database) {
            update.forked = Set(
                try rows.lazy.map(\.key).filter { key in
                    try key.withUnsafeBufferPointer { try forks.contains($0) }
                })
        }
        return update
    }

    /// Adds what the writer recorded of each key: more than the rows' own parents say, as it knows
    /// what those knew.
    private static func addKnown(
        _ database: Database, to rows: inout [LogUpdate.Row], leavesOut: inout Bool
    ) throws {
        guard !rows.isEmpty else { return }
        let latest = try Stepper(database, "SELECT id, known FROM latest WHERE key = ?")
        for index in rows.indices {
            let row = rows[index]
            try row.key.withUnsafeBufferPointer { key in
                latest.bind(1, text: key)
                defer { latest.reset() }
                guard try latest.step(), latest.integer(0) == row.id, let known = latest.blob(1)
                else { return }
                var causes: [CauseList.Cause] = []
                guard CauseList.forEach(known, leavesOut: &leavesOut, { causes.append($0) })
                else { return }
                rows[index] = LogUpdate.Row(
                    key: row.key, id: row.id, timestamp: row.timestamp, value: row.value,
                    causes: merged(row.causes, causes))
            }
        }
    }
}
