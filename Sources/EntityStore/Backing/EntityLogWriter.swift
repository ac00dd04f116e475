import Foundation
import GRDB
import GRDBSQLite
import Replication

/// Appends rows to this device's log.
enum EntityLogWriter {
    /// Writes a batch's names and rows. Their numbers follow on those in the file.
    ///
    /// - Parameter firstName: The number of the first of the batch's names.
    static func append(_ batch: RowBatch, firstName: UInt32, to db: Database) throws {
        let names = try db.makeStatement(sql: "INSERT INTO names (id, name) VALUES (?, ?)")
        for (place, name) in batch.names.enumerated() {
            try names.execute(arguments: [Int64(firstName) + Int64(place), name])
        }
        let insert = try db.makeStatement(
            sql: """
                INSERT INTO log (id, timestamp, operation, entity, key, tag, date, kind, value)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        let handle = insert.sqliteStatement
        try batch.bytes.withUnsafeBytes { bytes in
            for row in batch.rows {
                sqlite3_reset(handle)
                bind(row, batch, bytes, handle)
                guard sqlite3_step(handle) == SQLITE_DONE else {
                    let error = DatabaseError(
                        resultCode: ResultCode(
                            rawValue: sqlite3_extended_errcode(db.sqliteConnection)),
                        message: String(cString: sqlite3_errmsg(db.sqliteConnection)))
                    sqlite3_reset(handle)
                    throw error
                }
            }
        }
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private static func bind(
        _ row: RowBatch.Row, _ batch: RowBatch, _ bytes: UnsafeRawBufferPointer,
        _ handle: OpaquePointer
    ) {
        sqlite3_bind_int64(handle, 1, Int64(row.id))
        sqlite3_bind_int64(handle, 2, row.timestamp)
        sqlite3_bind_int64(handle, 3, Int64(row.operation.rawValue))
        sqlite3_bind_int64(handle, 4, Int64(row.entity))
        bind(row.key, 5, handle)
        bind(row.tag, 6, handle)
        if row.date == row.timestamp {
            sqlite3_bind_null(handle, 7)
        } else {
            sqlite3_bind_int64(handle, 7, row.date)
        }
        switch row.operation {
        case .entry:
            sqlite3_bind_int64(handle, 8, Int64(row.kind.rawValue))
            bindValue(row, bytes, handle)
        case .removal:
            sqlite3_bind_null(handle, 8)
            bind(Array(batch.covers[Int(row.payload)].text.utf8), handle)
        case .creation, .deletion:
            sqlite3_bind_null(handle, 8)
            sqlite3_bind_null(handle, 9)
        }
    }

    private static func bind(_ name: UInt32, _ column: CInt, _ handle: OpaquePointer) {
        if name == 0 {
            sqlite3_bind_null(handle, column)
        } else {
            sqlite3_bind_int64(handle, column, Int64(name))
        }
    }

    /// Tells SQLite to take a copy of what is bound.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private static func bind(_ text: [UInt8], _ handle: OpaquePointer) {
        text.withUnsafeBytes { bytes in
            _ = sqlite3_bind_text64(
                handle, 9, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
        }
    }

    private static func bindValue(
        _ row: RowBatch.Row, _ bytes: UnsafeRawBufferPointer, _ handle: OpaquePointer
    ) {
        switch row.kind {
        case .string, .array, .dictionary, .data:
            let start = bytes.baseAddress.map { $0 + Int(row.payload) }
            if row.length == 0 {
                // A null pointer would bind NULL.
                if row.kind == .data {
                    sqlite3_bind_zeroblob(handle, 9, 0)
                } else {
                    sqlite3_bind_text(handle, 9, "", 0, transient)
                }
            } else if row.kind == .data {
                sqlite3_bind_blob64(handle, 9, start, UInt64(row.length), transient)
            } else {
                sqlite3_bind_text64(
                    handle, 9, start?.assumingMemoryBound(to: CChar.self), UInt64(row.length),
                    transient, UInt8(SQLITE_UTF8))
            }
        case .integer, .boolean, .date, .relationship:
            sqlite3_bind_int64(handle, 9, Int64(bitPattern: row.payload))
        case .double: sqlite3_bind_double(handle, 9, Double(bitPattern: row.payload))
        }
    }
}
