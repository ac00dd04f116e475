import Foundation
import GRDB
import Replication

extension TidelineLog {
    /// Creates the tables of a new log.
    static func create(_ database: Database, _ device: DeviceID) throws {
        try LogIdentity(format: LogFormat.tideline2.rawValue, device: device).insert(into: database)
        try database.execute(
            sql: """
                PRAGMA application_id = \(LogForm.applicationID);
                PRAGMA user_version = \(LogForm.version);
                CREATE TABLE writer (
                    ref INTEGER PRIMARY KEY,
                    name TEXT NOT NULL UNIQUE
                );
                CREATE TABLE log (
                    id INTEGER PRIMARY KEY,
                    timestamp INTEGER NOT NULL,
                    key TEXT NOT NULL,
                    value BLOB,
                    parentTimestamp INTEGER,
                    parents BLOB
                );
                CREATE INDEX log_key ON log (key, timestamp);
                CREATE INDEX log_timestamp ON log (timestamp);
                CREATE INDEX log_removal ON log (timestamp) WHERE \(isRemoval);
                CREATE TABLE latest (
                    key TEXT NOT NULL PRIMARY KEY,
                    id INTEGER NOT NULL,
                    timestamp INTEGER NOT NULL,
                    known BLOB
                ) WITHOUT ROWID;
                """)
    }

    /// Appends a batch after the last row.
    ///
    /// - Parameter others: The rows that other processes appended since the log was read.
    /// - Returns: The new state of the log.
    static func append(
        _ batch: KeyRowBatch, devices: [DeviceID], own: DeviceNumber?,
        behind others: inout LogUpdate, to database: Database
    ) throws -> KeyValueHead {
        // With the default of two megabytes, large batches write and reread index pages repeatedly.
        try database.execute(sql: "PRAGMA cache_size = \(batch.count > 1_000 ? -65_536 : -2_000)")
        var head = others.head
        var references = References(database, head.writers)
        let firstID = head.lastID + 1
        let retracting = Set(
            batch.rows.lazy.filter { !$0.reverts.isEmpty }.map { Array(batch.key(of: $0)) })
        try batch.withBytes { bytes in
            let appender = try Appender(database)
            for row in batch.rows {
                let id = try head.append(at: row.timestamp)
                let parents = batch.parents(of: row)
                let causes =
                    parents.isEmpty
                    ? []
                    : CauseList.encode(
                        try references.causes(parents, devices),
                        reverting: try references.causes(
                            own.map { own in
                                row.reverts.map { RowStamp(device: own, timestamp: $0) }
                            } ?? [], devices))
                try appender.append(
                    id, key: UnsafeBufferPointer(rebasing: bytes[batch.keyRange(of: row)]),
                    value: batch.valueRange(of: row).map {
                        UnsafeBufferPointer(rebasing: bytes[$0])
                    },
                    timestamp: row.timestamp, parentTimestamp: row.parentTimestamp, causes: causes)
            }
            let keysOfOthers = Set(others.rows.map(\.key))
            if !keysOfOthers.isEmpty {
                // Keys that both processes wrote concurrently.
                let forked = keysOfOthers.intersection(batch.rows.map { Array(batch.key(of: $0)) })
                try ForkTable.insert(forked, as: .fork, into: database)
                others.forked.formUnion(forked)
            }
            try ForkTable.insert(retracting, as: .retraction, into: database)
            var latest = try LatestTable(database)
            for (index, row) in newestRows(batch, bytes) {
                let key = UnsafeBufferPointer(rebasing: bytes[batch.keyRange(of: row)])
                let causes = try references.causes(batch.known(of: row), devices)
                // The parents that this process recorded include the parents of this process's
                // earlier rows, but not the parents of other processes' rows.
                try latest.set(
                    key, id: firstID + Int64(index), timestamp: row.timestamp, known: causes,
                    merges: !keysOfOthers.isEmpty && keysOfOthers.contains(Array(key)))
            }
        }
        head.writers = references.writers
        return head
    }

    /// Returns the newest row of each key with its position in the batch, in byte order of keys, so
    /// that the table's pages are visited in order.
    private static func newestRows(
        _ batch: KeyRowBatch, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> [(Int, KeyRowBatch.Row)] {
        func key(_ index: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(bytes)[
                    batch.keyRange(of: batch.rows[index])])
        }
        var order = Array(batch.rows.indices)
        order.sort { lhs, rhs in
            let comparison = key(lhs).compare(to: key(rhs))
            return comparison != 0 ? comparison < 0 : lhs < rhs
        }
        // The last row of a key has the greatest timestamp, because the timestamps of all rows come
        // from one clock.
        return order.indices.compactMap { position in
            let index = order[position]
            if position + 1 < order.count, key(order[position + 1]).compare(to: key(index)) == 0 {
                return nil
            }
            return (index, batch.rows[index])
        }
    }

    /// A writer that inserts rows into a tideline-2 log.
    struct Appender {
        private let insert: Stepper

        init(_ database: Database) throws {
            insert = try Stepper(
                database,
                """
                INSERT INTO log (id, timestamp, key, value, parentTimestamp, parents)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
        }

        /// - Parameter causes: The encoded list of parents; empty for a row without parents.
        func append(
            _ id: Int64, key: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>?,
            timestamp: Int64, parentTimestamp: Int64?, causes: [UInt8]
        ) throws {
            insert.bind(1, id)
            insert.bind(2, timestamp)
            insert.bind(3, text: key)
            insert.bind(4, blob: value)
            insert.bind(5, parentTimestamp)
            try causes.withUnsafeBufferPointer {
                insert.bind(6, blob: $0.isEmpty ? nil : $0)
                try insert.run()
            }
        }
    }

    /// The numbers that a log uses for devices, assigned as needed.
    struct References {
        private let database: Database
        private(set) var writers: [Int64: DeviceID]
        private var numbers: [DeviceID: Int64] = [:]
        private var cached: [Int64?] = []

        init(_ database: Database, _ writers: [Int64: DeviceID]) {
            self.database = database
            self.writers = writers
            for (number, device) in writers { numbers[device] = number }
        }

        mutating func number(of device: DeviceID) throws -> Int64 {
            if let known = numbers[device] { return known }
            try database.execute(
                sql: "INSERT INTO writer (name) VALUES (?)", arguments: [device.name])
            let number = database.lastInsertedRowID
            numbers[device] = number
            writers[number] = device
            return number
        }

        /// Returns the log's reference to a row.
        mutating func cause(_ row: LogRow.Reference) throws -> CauseList.Cause {
            CauseList.Cause(
                writer: try number(of: row.device), timestamp: row.timestamp.microseconds)
        }

        mutating func causes(
            _ stamps: some Sequence<RowStamp>, _ devices: [DeviceID]
        ) throws -> [CauseList.Cause] {
            var causes: [CauseList.Cause] = []
            for stamp in stamps {
                let index = Int(stamp.device)
                while cached.count <= index { cached.append(nil) }
                let number = try cached[index] ?? number(of: devices[index])
                cached[index] = number
                causes.append(CauseList.Cause(writer: number, timestamp: stamp.timestamp))
            }
            return causes
        }
    }

    /// The table `latest`: for each key, its newest row and the causal parents of this device's
    /// rows.
    struct LatestTable {
        private let insert: Stepper
        private let select: Stepper

        init(_ database: Database) throws {
            insert = try Stepper(
                database,
                """
                INSERT INTO latest (key, id, timestamp, known) VALUES (?, ?, ?, ?)
                ON CONFLICT (key) DO UPDATE
                SET id = excluded.id, timestamp = excluded.timestamp, known = excluded.known
                """)
            select = try Stepper(database, "SELECT id, timestamp, known FROM latest WHERE key = ?")
        }

        /// Adds a row that was appended.
        ///
        /// - Parameter merges: Whether to compare with the key's row in the table, because that row
        ///   may be newer, or may have parents that the appended row lacks. Normally, neither is
        ///   possible, because a device's rows for a key are a chain.
        mutating func set(
            _ key: UnsafeBufferPointer<UInt8>, id: Int64, timestamp: Int64,
            known: [CauseList.Cause], merges: Bool
        ) throws {
            var (id, timestamp, known) = (id, timestamp, known)
            if merges {
                select.bind(1, text: key)
                defer { select.reset() }
                if try select.step(), let formerID = select.integer(0),
                    let former = select.integer(1)
                {
                    if former > timestamp, Timestamp.isRecordable(former) {
                        (id, timestamp) = (formerID, former)
                    }
                    var causes: [CauseList.Cause] = []
                    var leavesOut = false
                    if let bytes = select.blob(2) {
                        _ = CauseList.forEach(bytes, leavesOut: &leavesOut) { causes.append($0) }
                    }
                    known = TidelineLog.merged(known, causes)
                }
            }
            insert.bind(1, text: key)
            insert.bind(2, id)
            insert.bind(3, timestamp)
            try CauseList.encode(known).withUnsafeBufferPointer {
                insert.bind(4, blob: $0.isEmpty ? nil : $0)
                try insert.run()
            }
        }
    }
}
