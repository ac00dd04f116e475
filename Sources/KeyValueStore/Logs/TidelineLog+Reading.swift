import Foundation
import GRDB
import Replication

/// Reading of logs in this library's own format.
enum TidelineLog {
    /// The SQL condition for a row that removes its key.
    static let isRemoval = "typeof(value) <> 'blob' OR length(value) = 0"

    /// Reads the newest row of each key. The cost grows with the live keys, because the writer
    /// maintains a table of newest rows. If rows are missing or the file is damaged, reads the rows
    /// before the gap or the damage instead.
    ///
    /// - Parameters:
    ///   - checksRows: Whether to compare the table with the rows, because values could not be
    ///     read.
    ///   - longest: The maximum length of values to load.
    /// - Returns: The log, with a `stop` of `.unreadable` if the file is damaged.
    static func load(
        _ database: Database, into log: inout LoadedLog, checksRows: Bool, longest: Int
    ) throws -> KeyValueHead {
        let head = try loadRows(database, into: &log, checksRows, longest: longest)
        try ForkTable.forEach(in: database) { key in
            if let index = log.keys.index(of: key) { log.forked.append(index) }
        }
        return head
    }

    private static func loadRows(
        _ database: Database, into log: inout LoadedLog, _ checksRows: Bool, longest: Int
    ) throws -> KeyValueHead {
        var start = try head(database)
        var damage: ReplicationError?
        do {
            start.lastID = try lastID(of: database)
            start.mark = try mark(database, of: start.lastID)
            start.rowCount = Int(start.lastID)
            // The table of newest rows is used only if it agrees with the rows.
            if let head = try extract(database, into: &log, start),
                try !checksRows || agrees(log, with: database, longest: longest)
            {
                return head
            }
        } catch {
            damage = try Self.damage(error)
            database.forgetPages()
        }
        if damage == nil, !checksRows {
            var head = try fold(database, into: &log, start, values: nil)
            if head.stop?.code != .unreadable {
                try checkEnd(database, &head)
                return head
            }
            database.forgetPages()
        }
        // In a damaged file, only complete rows count.
        var head = try ValueColumn.reading("value", in: database, upTo: longest) {
            try fold(database, into: &log, start, values: $0)
        }
        if let damage {
            head.note(damage)
        } else {
            try checkEnd(database, &head)
        }
        return head
    }

    /// Reads the table of newest rows.
    ///
    /// - Returns: `nil` if the table is invalid or doesn't represent all rows.
    private static func extract(
        _ database: Database, into log: inout LoadedLog, _ start: KeyValueHead
    ) throws -> KeyValueHead? {
        log = LoadedLog()
        var head = start
        let count = try count(database)
        let first = try Int64.fetchOne(database, sql: "SELECT min(id) FROM log") ?? 1
        head.first = try Int64.fetchOne(database, sql: "SELECT min(timestamp) FROM log")
        head.last = try Int64.fetchOne(database, sql: "SELECT max(timestamp) FROM log")
        // If a newest row has an invalid time, an older valid row takes its place.
        let leavesOutTimes = [head.first, head.last].contains {
            $0.map(Timestamp.isRecordable) == false
        }
        if leavesOutTimes || count != head.lastID || first != 1 && count > 0 { return nil }
        head.rowCount = Int(count)
        let rows = try Stepper(database, "SELECT key, id, timestamp, known FROM latest")
        while try rows.step() {
            guard let key = rows.text(0), let id = rows.integer(1),
                let timestamp = rows.timestamp(2), (1...max(1, head.lastID)).contains(id)
            else {
                // The rows themselves may still be valid.
                return nil
            }
            let (index, isNew) = log.keys.insert(key)
            guard isNew, Int(index) == log.newest.count else {
                throw ReplicationError(.unreadable, "the table \"latest\" has a key twice")
            }
            let firstCause = log.causes.count
            if let known = rows.blob(3) {
                try append(known, to: &log, leavesOut: &head.leavesOutTimes)
                for index in firstCause..<log.causes.count {
                    head.note(CollectionOfOne(log.causes[index]), of: timestamp)
                }
            }
            log.newest.append(
                LoadedLog.Newest(
                    timestamp: timestamp, id: id, firstCause: firstCause,
                    causeCount: log.causes.count - firstCause))
        }
        return head
    }

    /// Returns the number of rows, using an index.
    private static func count(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT count(*) FROM log") ?? 0
    }

    /// Loads the log to find out whether the file is damaged. Returns the log's state if so;
    /// otherwise `nil`.
    ///
    /// - Throws: Errors that prevent reading the whole file.
    static func damaged(
        _ database: Database, checksRows: Bool, longest: Int
    ) throws -> KeyValueHead? {
        var log = LoadedLog()
        defer { database.forgetPages() }
        let head = try load(database, into: &log, checksRows: checksRows, longest: longest)
        return head.stop?.code == .unreadable ? head : nil
    }

    /// Returns the damage that an error describes, if the rest of the file can still be read.
    ///
    /// - Throws: `error` itself, if it describes something else.
    static func damage(_ error: any Error) throws -> ReplicationError {
        switch error {
        case let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT:
            return ReplicationError(
                .unreadable, error.message ?? "a page is malformed", cause: error)
        case let error as ReplicationError where error.code == .unreadable: return error
        default: throw error
        }
    }

    /// Records a gap if rows at the end of the log were lost. Other tables that are written in the
    /// same transactions show how many rows the log had.
    private static func checkEnd(_ database: Database, _ head: inout KeyValueHead) throws {
        guard head.gap == nil else { return }
        let count = try count(database)
        let newest = try Stepper(database, "SELECT max(id) FROM latest")
        let last = try newest.step() ? newest.integer(0) ?? 0 : 0
        if max(last, count) > head.lastID {
            head.gap = "the log had rows up to \(max(last, count)), which are lost"
        }
    }

    /// Returns whether each key's newest row in the log matches the table of newest rows. Also
    /// reads the values, on all their pages, except those longer than `longest`.
    ///
    /// - Throws: `DatabaseError` if a row or its value can't be read.
    /// - Complexity: One search and one value per key.
    private static func agrees(
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

    /// Reads a log's identity and the devices that it names, but none of its rows.
    private static func head(_ database: Database) throws -> KeyValueHead {
        let identity = try identity(of: database)
        var head = KeyValueHead(format: .tideline2, identity: identity.identity)
        head.writers = try writers(database)
        head.notes.claimant = identity.device
        return head
    }

    static func lastID(of database: Database) throws -> Int64 {
        let last = try Int64.fetchOne(database, sql: "SELECT max(id) FROM log") ?? 0
        guard last >= 0 else { throw ReplicationError(.unreadable, "a row number is below 1") }
        return last
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

    /// Reads all rows up to the first that is missing or can't be read.
    ///
    /// - Parameter values: The column of values; `nil` to read no values. If given, each row is
    ///   looked up by its id.
    /// - Throws: Errors that prevent reading even the first row.
    private static func fold(
        _ database: Database, into log: inout LoadedLog, _ start: KeyValueHead,
        values: ValueColumn?
    ) throws -> KeyValueHead {
        log = LoadedLog()
        var head = start
        (head.first, head.last) = (nil, nil)
        // Parents are collected by key first, because they occur in any order of keys.
        var causes: [[CauseList.Cause]] = []
        var expected: Int64 = 1
        let columns = "id, timestamp, key, parents" + (values.map { ", \($0.sql)" } ?? "")
        let rows = try Stepper(
            database,
            "SELECT \(columns) FROM log \(values == nil ? "ORDER BY id" : "WHERE id = ?")")
        var damage: ReplicationError?
        do {
            if values != nil { rows.bind(1, expected) }
            while try rows.step(), rows.integer(0) == expected {
                try fold(rows, expected, into: &log, &causes, &head)
                expected += 1
                if values == nil { continue }
                rows.reset()
                rows.bind(1, expected)
            }
        } catch {
            damage = try Self.damage(error)
            if expected == 1 { throw error }
        }
        for (index, list) in causes.enumerated() where !list.isEmpty {
            log.newest[index].firstCause = log.causes.count
            log.newest[index].causeCount = list.count
            list.withUnsafeBufferPointer { log.causes.append(contentsOf: $0) }
        }
        if damage == nil, head.lastID != expected - 1 {
            head.gap =
                "row \(expected) is missing; later rows up to \(head.lastID) are not used yet"
        }
        head.lastID = expected - 1
        head.mark = try mark(database, of: head.lastID)
        head.rowCount = Int(expected - 1)
        if let damage { head.note(damage) }
        return head
    }

    /// Adds the current row of the statement.
    private static func fold(
        _ rows: Stepper, _ id: Int64, into log: inout LoadedLog,
        _ causes: inout [[CauseList.Cause]], _ head: inout KeyValueHead
    ) throws {
        guard let timestamp = rows.integer(1), let key = rows.text(2) else {
            throw ReplicationError(.unreadable, "row \(id) is not valid")
        }
        let found = try self.causes(rows, 3, of: id, at: timestamp, &head)
        guard head.note(timestamp) else { return }
        let (index, isNew) = log.keys.insert(key)
        log.note(id, timestamp, of: index, isNew: isNew)
        if isNew { causes.append([]) }
        if !found.isEmpty { causes[Int(index)] = merged(causes[Int(index)], found) }
    }

    /// Returns the causal parents of a row. Parents with invalid times are left out.
    static func causes(
        _ row: Stepper, _ column: CInt, of id: Int64, at timestamp: Int64,
        _ head: inout KeyValueHead
    ) throws -> [CauseList.Cause] {
        guard Timestamp.isRecordable(timestamp), let parents = row.blob(column) else { return [] }
        var causes: [CauseList.Cause] = []
        let isWhole = CauseList.forEach(parents, leavesOut: &head.leavesOutTimes) {
            causes.append($0)
        }
        guard isWhole else {
            throw ReplicationError(.unreadable, "the parents of row \(id) are damaged")
        }
        head.note(causes, of: timestamp)
        return causes
    }

    /// Returns the newest timestamp of each writer in either list.
    static func merged(
        _ lhs: [CauseList.Cause], _ rhs: [CauseList.Cause]
    ) -> [CauseList.Cause] {
        var newest: [Int64: Int64] = [:]
        for cause in lhs + rhs {
            newest[cause.writer] = max(newest[cause.writer] ?? .min, cause.timestamp)
        }
        return newest.map { CauseList.Cause(writer: $0.key, timestamp: $0.value) }.sorted()
    }
}
