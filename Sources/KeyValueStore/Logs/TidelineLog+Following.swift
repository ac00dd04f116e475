import Foundation
import GRDB
import Replication

/// Reading what a log of this library's own form got since it was read.
extension TidelineLog {
    /// Reads the rows behind a cursor, up to the first that is missing or cannot be read.
    ///
    /// - Parameters:
    ///   - old: What was read before; `nil` for nothing.
    ///   - longest: Values of more bytes stay in the log.
    /// - Returns: `nil` if the log is not the one that was read before, or has become shorter; and
    ///   where only a load can read it, as it is damaged in rows that others have followed.
    static func update(
        _ database: Database, behind old: KeyValueHead?, longest: Int
    ) throws -> LogUpdate? {
        let identity = try identity(of: database)
        let progress = try (old?.cursor ?? .start).progress(
            in: database, table: table, identity: identity, toleratesDamage: true)
        if old != nil, progress.isAnew { return nil }
        var head = old ?? KeyValueHead(format: .tideline2, identity: identity.identity)
        head.stop = nil
        head.writers = try writers(database)
        head.notes.claimant = identity.device
        // Of a damaged file, that counts which a load reads, whoever reads it.
        var damaged: KeyValueHead?
        if old == nil || old?.stop?.code == .unreadable {
            damaged = try self.damaged(database, checksRows: old != nil, longest: longest)
        }
        var update = try rows(database, behind: progress, head, to: damaged, longest)
        if damaged == nil || old == nil, update.head.stop?.code == .unreadable {
            database.forgetPages()
            damaged = try self.damaged(database, checksRows: true, longest: longest)
            // A load does not come upon it: no newest row is damaged.
            if damaged == nil { return nil }
            update = try rows(database, behind: progress, head, to: damaged, longest)
        }
        update.head.stop = damaged?.stop ?? update.head.stop
        return update
    }

    private static func rows(
        _ database: Database, behind start: LogProgress, _ head: KeyValueHead,
        to end: KeyValueHead?, _ longest: Int
    ) throws -> LogUpdate {
        try ValueColumn.reading("value", in: database, upTo: longest) {
            try rows(database, behind: start, head, to: end?.lastID ?? .max, $0)
        }
    }

    private static func rows(
        _ database: Database, behind start: LogProgress, _ head: KeyValueHead,
        to end: Int64, _ values: ValueColumn
    ) throws -> LogUpdate {
        var (progress, head) = (start, head)
        var places: [[UInt8]: Int] = [:]
        var rows: [LogUpdate.Row] = []
        var count = 0
        var told = ToldRows()
        var damage: ReplicationError?
        let new = try Stepper(
            database,
            """
            SELECT id, timestamp, key, \(values.sql), parents FROM log
            WHERE id > ? AND id <= ? ORDER BY id
            """)
        new.bind(1, start.start.lastID)
        new.bind(2, end)
        do {
            while try new.step(), let id = new.integer(0) {
                guard progress.isNext(id) else {
                    _ = progress.accept(id, mark: 0)
                    break
                }
                guard let timestamp = new.integer(1), let key = new.text(2).map(Array.init) else {
                    throw ReplicationError(.unreadable, "row \(id) is not valid")
                }
                let causes = try causes(new, 4, of: id, at: timestamp, &head)
                _ = progress.accept(id, mark: timestamp)
                count += 1
                guard head.note(timestamp) else { continue }
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
        } catch {
            damage = try self.damage(error)
            // Of a log that nothing can be read of, nothing is known.
            if progress.cursor.lastID == 0 { throw error }
        }
        head.cursor = progress.cursor
        head.rowCount = Int(clamping: head.lastID)
        head.gap = progress.gap.map {
            "row \($0) is missing; rows up to \(progress.lastID) wait for it"
        }
        do {
            try addKnown(database, to: &rows, leavesOut: &head.leavesOutTimes)
        } catch {
            damage = try damage ?? self.damage(error)
        }
        if let damage { head.note(damage) }
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
