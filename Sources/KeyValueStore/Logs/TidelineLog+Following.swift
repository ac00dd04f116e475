import Foundation
import GRDB
import Replication

/// Reading of new rows of a log in this library's own format.
extension TidelineLog {
    /// Reads the rows after a cursor, up to the first row that is missing or can't be read.
    ///
    /// - Parameters:
    ///   - old: The result of the previous reading, if any.
    ///   - longest: The maximum length of values to load.
    /// - Returns: `nil` if a full load is needed: the log was replaced, became shorter, or has
    ///   damaged rows before readable ones.
    static func update(
        _ database: Database, behind old: KeyValueHead?, longest: Int
    ) throws -> LogUpdate? {
        let identity = try identity(of: database)
        let progress = try (old?.cursor ?? .start).progress(
            in: database, table: table, identity: identity, toleratesDamage: true)
        if old != nil, progress.startsOver { return nil }
        var head = old ?? KeyValueHead(format: .tideline2, identity: identity.identity)
        head.stop = nil
        head.writers = try writers(database)
        head.notes.claimant = identity.device
        // If the file is damaged, every reader uses the result of a full load.
        var damaged: KeyValueHead?
        if old == nil || old?.stop?.code == .unreadable {
            damaged = try self.damaged(database, checksRows: old != nil, longest: longest)
        }
        var update = try rows(database, behind: progress, head, to: damaged, longest)
        if damaged == nil || old == nil, update.head.stop?.code == .unreadable {
            database.forgetPages()
            damaged = try self.damaged(database, checksRows: true, longest: longest)
            // A full load doesn't find the damage, because it reads only the newest row of each
            // key.
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
        var reported = ReportedRows()
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
                reported.note(id, timestamp)
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
            // If not even the first row can be read, the state of the log is unknown.
            if progress.cursor.lastID == 0 { throw error }
        }
        head.cursor = progress.cursor
        head.rowCount = Int(clamping: head.lastID)
        head.gap = progress.gap.map {
            "row \($0) is missing; later rows up to \(progress.lastID) are not used yet"
        }
        do {
            try addKnown(database, to: &rows, leavesOut: &head.leavesOutTimes)
            for row in rows { head.note(row.causes, of: row.timestamp) }
        } catch {
            damage = try damage ?? self.damage(error)
        }
        if let damage { head.note(damage) }
        var update = LogUpdate(head: head, rows: rows, count: count)
        update.reported = reported
        if !rows.isEmpty, let forks = try ForkTable(in: database) {
            update.forked = Set(try rows.map(\.key).filter(forks.contains))
        }
        return update
    }

    /// Adds the parents that the writer recorded per key. They include parents of parents.
    private static func addKnown(
        _ database: Database, to rows: inout [LogUpdate.Row], leavesOut: inout Bool
    ) throws {
        guard !rows.isEmpty else { return }
        let latest = try Stepper(database, "SELECT id, known FROM latest WHERE key = ?")
        for index in rows.indices {
            let row = rows[index]
            latest.bind(1, copying: row.key)
            defer { latest.reset() }
            guard try latest.step(), latest.integer(0) == row.id, let known = latest.blob(1)
            else { continue }
            var causes: [CauseList.Cause] = []
            guard CauseList.forEach(known, leavesOut: &leavesOut, { causes.append($0) })
            else { continue }
            rows[index] = LogUpdate.Row(
                key: row.key, id: row.id, timestamp: row.timestamp, value: row.value,
                causes: merged(row.causes, causes))
        }
    }
}
