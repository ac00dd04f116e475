import Foundation
import GRDB
import Replication
import TestSupport

/// Databases as other devices would write them.
enum Sample {
    static func database(_ path: String) -> LocalDatabase {
        LocalDatabase(path: path) { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS row (
                        id INTEGER PRIMARY KEY, batch INTEGER NOT NULL, size INTEGER NOT NULL,
                        value BLOB)
                    """)
        }
    }

    /// Appends one batch of `rows` rows in one transaction.
    static func append(
        _ rows: Int, to path: String, bytes: Int = 100, random: inout SeededRandom
    ) throws {
        let database = database(path)
        let values = (0..<rows).map { _ in
            Data((0..<bytes).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        try database.write { db in
            let batch = 1 + (try Int.fetchOne(db, sql: "SELECT max(batch) FROM row") ?? 0)
            for value in values {
                try db.execute(
                    sql: "INSERT INTO row (batch, size, value) VALUES (?, ?, ?)",
                    arguments: [batch, rows, value])
            }
        }
        database.close()
    }

    /// The number of rows, if all batches are complete and all ids are consecutive.
    static func count(_ db: Database) throws -> Int {
        guard try db.ordinaryColumns(of: "row") == ["id", "batch", "size", "value"] else {
            throw ReplicationError(.unreadable, "no table")
        }
        var count = 0
        for row in try Row.fetchAll(
            db,
            sql: """
                SELECT count(*) AS n, min(size) AS size, max(size) AS most, max(id) AS last
                FROM row GROUP BY batch ORDER BY batch
                """)
        {
            let values = Array(row.databaseValues).map { Int.fromDatabaseValue($0) }
            count += values[0] ?? 0
            guard values == [values[0], values[0], values[0], count] else {
                throw ReplicationError(.unreadable, "half a transaction")
            }
        }
        return count
    }

    static func read(_ path: String, limits: ForeignDatabase.Limits = .init()) throws -> Int {
        guard case .read(let count, _) = try ForeignDatabase.read(path, limits: limits, count)
        else { return -1 }
        return count
    }
}
