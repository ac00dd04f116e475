import GRDB
import Replication

extension ParstoreLog {
    /// Appends a batch as Core Data would. In one transaction, inserts rows with the entity's
    /// number and the next primary keys, and updates the counter of the primary keys.
    ///
    /// - Parameter others: The rows that other processes appended since the log was read.
    /// - Returns: The new state of the log.
    static func append(
        _ batch: KeyRowBatch, behind others: LogUpdate, to database: Database
    ) throws -> KeyValueHead {
        var head = others.head
        try batch.withBytes { bytes in
            var appender = try Appender(database)
            for row in batch.rows {
                let id = try appender.append(
                    key: UnsafeBufferPointer(rebasing: bytes[batch.keyRange(of: row)]),
                    value: batch.valueRange(of: row).map {
                        UnsafeBufferPointer(rebasing: bytes[$0])
                    },
                    timestamp: row.timestamp, parentTimestamp: row.parentTimestamp)
                head.lastID = id
                head.noteAppended(row.timestamp)
            }
            try appender.finish()
        }
        return head
    }

    /// A writer that inserts rows into a PARStore 1 log and updates Core Data's bookkeeping.
    struct Appender {
        private let database: Database
        private let insert: Stepper
        private let entity: Int64
        private var last: Int64

        init(_ database: Database) throws {
            self.database = database
            let row = try Row.fetchOne(
                database, sql: "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Log'")
            guard let row, let entity = row.integer("Z_ENT") else {
                throw ReplicationError(.unreadable, "the log has no entity Log")
            }
            self.entity = entity
            // A program that inserted rows without Core Data might not have increased Core Data's
            // counter.
            let given = row.integer("Z_MAX") ?? 0
            let used = try Int64.fetchOne(database, sql: "SELECT max(Z_PK) FROM ZLOG") ?? 0
            last = max(given, used)
            insert = try Stepper(
                database,
                """
                INSERT INTO ZLOG
                    (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP, ZPARENTTIMESTAMP, ZKEY, ZBLOB)
                VALUES (?, ?, 1, ?, ?, ?, ?)
                """)
        }

        mutating func append(
            key: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>?,
            timestamp: Int64, parentTimestamp: Int64?
        ) throws -> Int64 {
            let (id, overflow) = last.addingReportingOverflow(1)
            guard !overflow else {
                throw ReplicationError(.unreadable, "the log has no row numbers left")
            }
            insert.bind(1, id)
            insert.bind(2, entity)
            insert.bind(3, timestamp)
            insert.bind(4, parentTimestamp)
            insert.bind(5, text: key)
            if let value { insert.bind(6, blob: value) } else { insert.bindEmptyBlob(6) }
            try insert.run()
            last = id
            return id
        }

        func finish() throws {
            try database.execute(
                sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = 'Log'", arguments: [last])
        }
    }
}

extension KeyValueHead {
    /// Counts a row that was appended to a PARStore 1 log.
    mutating func noteAppended(_ timestamp: Int64) {
        rowCount += 1
        fingerprint &+= ParstoreLog.fingerprint(timestamp)
        note(timestamp)
    }
}
