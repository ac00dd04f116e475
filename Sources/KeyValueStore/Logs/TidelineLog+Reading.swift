import Foundation
import GRDB
import Replication

/// Reading logs of this library's own form.
enum TidelineLog {
    /// What holds in SQL for a row that removes its key.
    static let isRemoval = "typeof(value) <> 'blob' OR length(value) = 0"

    /// Reads what the log says of each key: from the table that the writer keeps for this, at the
    /// cost of live keys, unless rows are missing; then from the rows before the gap.
    ///
    /// - Parameter folds: Whether to read all rows even so, because the table proved wrong.
    static func load(
        _ database: Database, into log: inout LoadedLog, folds: Bool
    ) throws -> KeyValueHead {
        let head = try loadRows(database, into: &log, folds: folds)
        try ForkTable.forEach(in: database) { key in
            if let index = log.keys.index(of: key) { log.forked.append(index) }
        }
        return head
    }

    private static func loadRows(
        _ database: Database, into log: inout LoadedLog, folds: Bool
    ) throws -> KeyValueHead {
        log = LoadedLog()
        var head = try head(database)
        let count = try Int64.fetchOne(database, sql: "SELECT count(*) FROM log") ?? 0
        let first = try Int64.fetchOne(database, sql: "SELECT min(id) FROM log") ?? 1
        head.first = try Int64.fetchOne(database, sql: "SELECT min(timestamp) FROM log")
        head.last = try Int64.fetchOne(database, sql: "SELECT max(timestamp) FROM log")
        // A newest row that does not count hides older ones that do.
        head.leavesOutTimes = [head.first, head.last].contains {
            $0.map(Timestamp.isRecordable) == false
        }
        if folds || head.leavesOutTimes || count != head.lastID || first != 1 && count > 0 {
            try fold(database, into: &log, head: &head)
            try checkEnd(database, count, &head)
            return head
        }
        head.rowCount = Int(count)
        let rows = try Stepper(database, "SELECT key, id, timestamp, known FROM latest")
        while try rows.step() {
            guard let key = rows.text(0), let id = rows.integer(1),
                let timestamp = rows.timestamp(2), (1...max(1, head.lastID)).contains(id)
            else {
                // The table is only an extract of the rows.
                try fold(database, into: &log, head: &head)
                try checkEnd(database, count, &head)
                return head
            }
            let (index, isNew) = log.keys.insert(key)
            guard isNew, Int(index) == log.newest.count else {
                throw ReplicationError(.unreadable, "latest has a key twice")
            }
            let firstCause = log.causes.count
            if let known = rows.blob(3) {
                try append(known, to: &log, leavesOut: &head.leavesOutTimes)
            }
            log.newest.append(
                LoadedLog.Newest(
                    timestamp: timestamp, id: id, firstCause: firstCause,
                    causeCount: log.causes.count - firstCause))
        }
        return head
    }

    /// Says so where rows are gone that the log had: what else tells of them is written in the same
    /// transactions as they.
    ///
    /// - Parameter count: How many rows there are by an index.
    private static func checkEnd(
        _ database: Database, _ count: Int64, _ head: inout KeyValueHead
    ) throws {
        guard head.gap == nil else { return }
        let newest = try Stepper(database, "SELECT max(id) FROM latest")
        let last = try newest.step() ? newest.integer(0) ?? 0 : 0
        if max(last, count) > head.lastID {
            head.gap = "rows up to \(max(last, count)) were in it and are gone"
        }
    }

    /// Whether each key's newest row is in the log as the table of newest rows has it. Stepping
    /// reads the values too, whatever pages they take, but for those longer than `longest`.
    ///
    /// - Throws: `DatabaseError` where a row or its value cannot be read.
    /// - Complexity: A search and a value a key.
    static func agrees(
        _ log: borrowing LoadedLog, with database: Database, longest: Int
    ) throws -> Bool {
        try ValueColumn.reading("value", in: database, upTo: longest) {
            try agrees(log, with: database, $0)
        }
    }

    private static func agrees(
        _ log: borrowing LoadedLog, with database: Database, _ values: ValueColumn
    ) throws -> Bool {
        let rows = try Stepper(
            database, "SELECT timestamp, key, \(values.sql) FROM log WHERE id = ?")
        for index in 0..<log.newest.count {
            rows.bind(1, log.newest[index].id)
            defer { rows.reset() }
            guard try rows.step(), rows.integer(0) == log.newest[index].timestamp,
                let key = rows.text(1),
                log.keys.withBytes(UInt32(index), { $0.elementsEqual(key) })
            else { return false }
        }
        return true
    }

    private static func append(
        _ known: UnsafeBufferPointer<UInt8>, to log: inout LoadedLog, leavesOut: inout Bool
    ) throws {
        let isWhole = CauseList.forEach(known, leavesOut: &leavesOut) { log.causes.append($0) }
        guard isWhole else {
            throw ReplicationError(.unreadable, "a list of known rows is damaged")
        }
    }

    static let table = LogTable(name: "log", mark: "timestamp")

    static func identity(of database: Database) throws -> LogIdentity {
        guard let identity = try LogIdentity.fetch(from: database) else {
            throw ReplicationError(.unreadable, "the log has no identity")
        }
        return identity
    }

    static func head(_ database: Database) throws -> KeyValueHead {
        let identity = try identity(of: database)
        let last = try Int64.fetchOne(database, sql: "SELECT max(id) FROM log") ?? 0
        guard last >= 0 else { throw ReplicationError(.unreadable, "row numbers below one") }
        var head = KeyValueHead(
            format: .tideline2, identity: identity.identity, lastID: last, rowCount: Int(last))
        head.mark = try mark(database, of: last)
        head.writers = try writers(database)
        head.notes.claimant = identity.device
        return head
    }

    private static func mark(_ database: Database, of id: Int64) throws -> Int64? {
        try Int64.fetchOne(
            database, sql: "SELECT timestamp FROM log WHERE id = ?", arguments: [id])
    }

    static func writers(_ database: Database) throws -> [Int64: DeviceID] {
        var writers: [Int64: DeviceID] = [:]
        let rows = try Stepper(database, "SELECT ref, name FROM writer")
        while try rows.step() {
            guard let reference = rows.integer(0), let bytes = rows.text(1),
                let name = String(validating: bytes, as: UTF8.self),
                let device = try? DeviceID(name)
            else { continue }
            writers[reference] = device
        }
        return writers
    }

    /// Reads all rows up to the first that is missing.
    private static func fold(
        _ database: Database, into log: inout LoadedLog, head: inout KeyValueHead
    ) throws {
        log = LoadedLog()
        (head.first, head.last) = (nil, nil)
        // Causes come in any order of keys: kept by key first.
        var causes: [[CauseList.Cause]] = []
        var expected: Int64 = 1
        let rows = try Stepper(database, "SELECT id, timestamp, key, parents FROM log ORDER BY id")
        while try rows.step() {
            guard rows.integer(0) == expected else { break }
            guard let timestamp = rows.integer(1), let key = rows.text(2) else {
                throw ReplicationError(.unreadable, "row \(expected) is not valid")
            }
            guard head.note(timestamp) else {
                expected += 1
                continue
            }
            let (index, isNew) = log.keys.insert(key)
            if isNew {
                log.newest.append(
                    LoadedLog.Newest(
                        timestamp: timestamp, id: expected, firstCause: 0, causeCount: 0))
                causes.append([])
            } else if log.newest[Int(index)].timestamp <= timestamp {
                log.newest[Int(index)].timestamp = timestamp
                log.newest[Int(index)].id = expected
            }
            if let parents = rows.blob(3) {
                var found: [CauseList.Cause] = []
                let isWhole = CauseList.forEach(parents, leavesOut: &head.leavesOutTimes) {
                    found.append($0)
                }
                guard isWhole else {
                    throw ReplicationError(
                        .unreadable, "the parents of row \(expected) are damaged")
                }
                causes[Int(index)] = merged(causes[Int(index)], found)
            }
            expected += 1
        }
        for (index, list) in causes.enumerated() where !list.isEmpty {
            log.newest[index].firstCause = log.causes.count
            log.newest[index].causeCount = list.count
            list.withUnsafeBufferPointer { log.causes.append(contentsOf: $0) }
        }
        if head.lastID != expected - 1 {
            head.gap = "row \(expected) is missing; rows up to \(head.lastID) wait for it"
        }
        head.lastID = expected - 1
        head.mark = try mark(database, of: head.lastID)
        head.rowCount = Int(expected - 1)
    }

    /// The newest timestamp of each writer in either list.
    static func merged(
        _ lhs: [CauseList.Cause], _ rhs: some Sequence<CauseList.Cause>
    ) -> [CauseList.Cause] {
        var newest: [Int64: Int64] = [:]
        for cause in lhs {
            newest[cause.writer] = max(newest[cause.writer] ?? .min, cause.timestamp)
        }
        for cause in rhs {
            newest[cause.writer] = max(newest[cause.writer] ?? .min, cause.timestamp)
        }
        return newest.map { CauseList.Cause(writer: $0.key, timestamp: $0.value) }.sorted()
    }
}
